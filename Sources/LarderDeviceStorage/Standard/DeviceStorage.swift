public import Foundation
public import LarderCore
import LarderStores

/// What "the device's storage" is where this program runs.
///
/// `DeviceStorageDataSource<T>()` and `Defaults` keep their values in ``standard`` unless they are given another store. Which
/// store that is, and in which file, is told in <doc:WhereValuesAreKept>.
public enum DeviceStorage {
    private static let shared = StandardStorage { try DeviceStorage.open($0) }

    /// The platform's device storage; always the same store once it has been used.
    ///
    /// `UserDefaults.standard` on Apple platforms; elsewhere a `DeviceStore` in the user's data folder, named after the
    /// application that ``configure(application:directory:)`` was given, or after the executable. In a process that has Swift Testing or
    /// XCTest loaded it is a store in memory that ends with the process, which an issue with code `testProcess` says;
    /// `LARDER_TEST_PROCESS=0` in the environment turns that off.
    ///
    /// Never fails. Where the store can't be opened, a ``LarderIssue`` is reported and another one stands in for it: it keeps
    /// nothing, every call on it throws why, and it tries to open the real one again, once a second at most. So nothing seems to
    /// be kept that is not. ``openStandard()`` throws instead. Safe from any thread.
    public static var standard: any KeyValueStore { shared.store }

    /// ``standard`` for code that takes a `UserDefaults`; always the same object.
    ///
    /// Off Apple platforms this is not `UserDefaults.standard`, and never loses a value as that one does. Safe from any thread.
    public static var standardDefaults: UserDefaults { shared.defaults.userDefaults }

    /// Opens ``standard``, or says why it can't be opened.
    ///
    /// Call it where the program can still do something about it: choose another directory, repair a damaged store at the
    /// error's path, or tell the user. After an error ``configure(application:directory:)`` works as before the first use, unless
    /// ``standard`` was used before: then what stands in for it stays, and calling this again tries to open the same store.
    ///
    /// - Returns: What ``standard`` is from now on.
    /// - Throws: ``StoreError``: `noLocation` without a home folder, `notPermitted` where it can't be written, `damaged` with the
    ///   place, `newerFormat`, `busy`, `diskFull`, `tooManyOpenFiles`, `inputOutput`. Nothing was changed.
    @discardableResult
    public static func openStandard() throws -> any KeyValueStore { try shared.open() }

    /// Says what the application is called, and where it keeps its values.
    ///
    /// Call it first thing in the program. Calling it again before the first use replaces what was said. In a test process only a
    /// `directory` has an effect: values are kept there instead of in memory.
    ///
    /// - Parameters:
    ///   - application: The name of the file, without an extension; on Apple platforms the system's own place is used.
    ///   - directory: The folder of that file, created on the first use with mode 0700. Without it, the folder `application` in
    ///     `$XDG_DATA_HOME` or `~/.local/share`. Refused on Apple platforms.
    /// - Throws: ``StoreError`` with code `invalidConfiguration` when ``standard`` has been used, or when the name is no file
    ///   name; then nothing was changed.
    public static func configure(application: String, directory: URL? = nil) throws {
        try shared.configure(DeviceStorageConfiguration(application: application, directory: directory))
    }

    /// The migration of what Larder kept for this program in Foundation's `UserDefaults`, where earlier versions had ``standard``
    /// off Apple platforms.
    ///
    /// Nothing is migrated unless it is run:
    ///
    /// ```swift
    /// try DeviceStorage.earlierValues()?.run(into: DeviceStorage.standard)
    /// ```
    ///
    /// The earlier file stays as it is; `UserDefaultsStore` goes on reading it.
    ///
    /// - Returns: `nil` where no such file is, and on Apple platforms, where nothing has changed.
    public static func earlierValues() -> StoreMigration? {
        PlatformDeviceStorage.earlierStore(shared.configuration).map {
            StoreMigration("UserDefaults", from: $0.store)
        }
    }

    /// The store that holds what `userDefaults` shows: that of a ``StoreUserDefaults``, or a ``UserDefaultsStore``.
    ///
    /// - Parameter userDefaults: Any; for the same one, the stores returned observe each other's changes.
    /// - Returns: A store whose values `userDefaults` finds too.
    public static func store(over userDefaults: UserDefaults) -> any KeyValueStore {
        (userDefaults as? StoreUserDefaults)?.store ?? UserDefaultsStore(userDefaults)
    }

    // MARK: - Opening

    private static func open(_ configuration: DeviceStorageConfiguration?) throws -> any KeyValueStore {
        if TestProcess.isCurrent, configuration?.directory == nil {
            return openForTests()
        }
        return try openOnPlatform(configuration)
    }

    /// A store that ends with the process, which an issue says.
    package static func openForTests() -> any KeyValueStore {
        let store = MemoryStore(name: "device storage of a test process")
        store.issues.report(
            LarderIssue(
                .testProcess,
                "This process can run tests (Swift Testing or XCTest is loaded, or LARDER_TEST_PROCESS is 1), so the device's storage is in memory and ends with it. If it is no test, set LARDER_TEST_PROCESS=0 or configure a directory."
            )
        )
        return store
    }

    /// Opens the store, and says so when it is new while an earlier one is there.
    package static func openOnPlatform(
        _ configuration: DeviceStorageConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        let path: String? = try PlatformDeviceStorage.path(configuration, environment: environment)
        let isNew = path.map { !FileManager.default.fileExists(atPath: $0) } ?? false
        let store: any KeyValueStore
        do {
            store = try PlatformDeviceStorage.open(configuration, environment: environment)
        } catch let error as StoreError where [.notPermitted, .invalidConfiguration].contains(error.code) {
            throw StoreError.noPlace(error, path)
        }
        if isNew, let earlier = PlatformDeviceStorage.earlierStore(configuration) {
            store.issues.report(
                LarderIssue(
                    .earlierValues,
                    "The device's storage is new, and \(earlier.path) holds earlier values, which it does not show: carry them over with `DeviceStorage.earlierValues()?.run(into: DeviceStorage.standard)`."
                )
            )
        }
        return store
    }
}

extension LarderIssue.Code {
    /// The device's storage is in memory, because the process can run tests.
    public static let testProcess = LarderIssue.Code("testProcess")
}

extension StoreError {
    fileprivate static func noPlace(_ error: StoreError, _ path: String?) -> StoreError {
        StoreError(
            error.code,
            "The device's storage can't be kept at \(path ?? "its place"): make that folder one that can be written, or configure device storage with another directory.",
            path: path,
            underlying: error
        )
    }
}
