public import Foundation
public import LarderCore
import LarderStores
import Synchronization

/// What "the device's storage" is where this program runs.
///
/// `DeviceStorageDataSource<T>()` and `Defaults` keep their values in ``standard`` unless they are given another store. Which
/// store that is, and in which file, is told in <doc:WhereValuesAreKept>.
public enum DeviceStorage {
    private struct State {
        var configuration: DeviceStorageConfiguration?
        var opened: (store: any KeyValueStore, defaults: SendableUserDefaults)?
    }

    private static let state = Mutex(State())

    /// The platform's device storage; always the same store once it has been used.
    ///
    /// `UserDefaults.standard` on Apple platforms; elsewhere a file in the user's configuration folder, named after the
    /// application that ``configure(application:directory:)`` was given, or after the executable. In a test process it is a
    /// store in memory that goes with the process.
    ///
    /// Never fails: where there is no such place, the calls on the store throw. Safe from any thread.
    public static var standard: any KeyValueStore { opened.store }

    /// ``standard`` for code that takes a `UserDefaults`; always the same object.
    ///
    /// Off Apple platforms this is not `UserDefaults.standard`, and never loses a value as that one does. Safe from any thread.
    public static var standardDefaults: UserDefaults { opened.defaults.userDefaults }

    /// Says what the application is called, and where it keeps its values.
    ///
    /// Call it first thing in the program.     /// Calling it again before the first use replaces what was said. In a test process only a `directory` has an effect: values
    /// are kept there instead of in memory.
    ///
    /// - Parameters:
    ///   - application: The name of the file, without an extension; on Apple platforms the system's own place is used.
    ///   - directory: The folder of that file, created with the first value. Without it, the user's configuration folder.
    ///     Refused on Apple platforms.
    /// - Throws: ``StoreError`` with code `invalidConfiguration` when ``standard`` has been used, or when the name is no file
    ///   name; then nothing was changed.
    public static func configure(application: String, directory: URL? = nil) throws {
        let configuration = try DeviceStorageConfiguration(application: application, directory: directory)
        try state.withLock { state in
            guard state.opened == nil else { throw StoreError.configuredTooLate }
            state.configuration = configuration
        }
    }

    /// The store that holds what `userDefaults` shows: that of a ``StoreUserDefaults``, or a ``UserDefaultsStore``.
    ///
    /// - Parameter userDefaults: Any; for the same one, the stores returned observe each other's changes.
    /// - Returns: A store whose values `userDefaults` finds too.
    public static func store(over userDefaults: UserDefaults) -> any KeyValueStore {
        (userDefaults as? StoreUserDefaults)?.store ?? UserDefaultsStore(userDefaults)
    }

    private static var opened: (store: any KeyValueStore, defaults: SendableUserDefaults) {
        state.withLock { state in
            if let opened = state.opened { return opened }
            let store = open(state.configuration)
            let opened = (store, SendableUserDefaults(StoreUserDefaults(store)))
            state.opened = opened
            return opened
        }
    }

    private static func open(_ configuration: DeviceStorageConfiguration?) -> any KeyValueStore {
        if TestProcess.isCurrent, configuration?.directory == nil {
            return MemoryStore(name: "device storage of a test process")
        }
        return PlatformDeviceStorage.open(configuration)
    }
}

/// What ``DeviceStorage/configure(application:directory:)`` was told.
package struct DeviceStorageConfiguration: Sendable {
    package let application: String
    package let directory: URL?

    package init(application: String, directory: URL?) throws {
        let isFileName = !["", ".", ".."].contains(application) && !application.contains { $0 == "/" || $0 == "\0" }
        guard isFileName else {
            throw StoreError(
                .invalidConfiguration,
                "\(application.debugDescription) can't be the name of a file: configure device storage with another one."
            )
        }
        guard directory == nil || PlatformDeviceStorage.takesDirectory else {
            throw StoreError(
                .invalidConfiguration,
                "On this platform the system chooses where device storage is: leave out the directory, or open a store of your own in it."
            )
        }
        guard directory?.isFileURL != false else {
            throw StoreError(
                .invalidConfiguration,
                "Device storage needs a folder on this machine: give it a file URL."
            )
        }
        self.application = application
        self.directory = directory
    }
}

extension StoreError {
    fileprivate static let configuredTooLate = StoreError(
        .invalidConfiguration,
        "Device storage has been used already: configure it before the first value is read or written."
    )
}
