public import Foundation
public import LarderCore
import LarderStores

/// The device's storage, which is the default store of this program.
///
/// `DeviceStorageDataSource<T>()` and `Defaults` use ``shared`` unless they are given another store. <doc:WhereValuesAreKept> lists the
/// store and its file on each platform.
public enum StandardStore {
    private static let box = StandardStoreBox { try StandardStore.open($0) }

    /// The device's storage.
    ///
    /// The store never changes after its first use. On Apple platforms the store is `UserDefaults.standard`. On other platforms the store
    /// is a `DeviceStore` in the user's data folder, which is named after the application passed to ``configure(application:directory:)``
    /// or after the executable. In a process that has loaded Swift Testing or XCTest, the store is a memory store, and an issue with code
    /// `testProcess` is reported. Set `LARDER_TEST_PROCESS=0` in the environment to use the device's storage in such a process.
    ///
    /// This property never fails. If the store can't be opened, a `LarderIssue` is reported and the property returns a fallback store that
    /// holds no values. Each call to the fallback tries to open the underlying store, at most once per second, and throws an error if that
    /// fails. Call ``open()`` to get the error directly. The property is thread-safe.
    public static var shared: any KeyValueStore { box.store }

    /// A `UserDefaults` object backed by ``shared``.
    ///
    /// Every access returns the same object.
    ///
    /// On non-Apple platforms the object is not `UserDefaults.standard`, which can lose values there. The property is thread-safe.
    public static var userDefaults: UserDefaults { box.defaults.userDefaults }

    /// Opens the store that ``shared`` returns, or throws an error if the store can't be opened.
    ///
    /// Call this method early in the program, where you can still choose another directory, repair a corrupt store at the error's path, or
    /// show the error. After an error, you can still call ``configure(application:directory:)``, unless ``shared`` has been used. After
    /// ``shared`` has been used, this method tries to open the same store again.
    ///
    /// - Returns: The store that ``shared`` returns from now on.
    /// - Throws: `StoreError` with code `noLocation` if there is no home folder, `notPermitted` if the folder can't be written, `damaged`
    ///   with the path of the corrupt file, `newerFormat`, `busy`, `diskFull`, `tooManyOpenFiles` or `inputOutput`. Nothing is changed in
    ///   these cases.
    @discardableResult
    public static func open() throws -> any KeyValueStore { try box.open() }

    /// Sets the application name, and optionally the folder, of the device's storage.
    ///
    /// Call this method at the start of the program. Another call before the first use of ``shared`` replaces the settings. In a test
    /// process, `application` has no effect, but if you pass a `directory`, values are stored there instead of in memory.
    ///
    /// - Parameters:
    ///   - application: The name of the file, without an extension. The name has no effect on Apple platforms, where the system chooses the
    ///     file.
    ///   - directory: The folder for the file, which is created at the first use with mode 0700. The default is the folder `application` in
    ///     `$XDG_DATA_HOME` or `~/.local/share`. A directory is rejected on Apple platforms.
    /// - Throws: `StoreError` with code `invalidConfiguration` after the first use of ``shared``, or if `application` is not a valid file
    ///   name. A failed call does not change the settings.
    public static func configure(application: String, directory: URL? = nil) throws {
        try box.configure(StandardStoreConfiguration(application: application, directory: directory))
    }

    /// Returns a migration of the values that earlier versions of Larder stored in Foundation's `UserDefaults` on non-Apple platforms.
    ///
    /// The migration does not run automatically. To run the migration:
    ///
    /// ```swift
    /// try StandardStore.earlierValues()?.run(into: StandardStore.shared)
    /// ```
    ///
    /// The earlier file is unchanged, and `UserDefaultsStore` can still read it.
    ///
    /// - Returns: The migration, or `nil` if no earlier file exists. The result is always `nil` on Apple platforms, where the location of
    ///   values has not changed.
    public static func earlierValues() -> StoreMigration? {
        PlatformStandardStore.earlierStore(box.configuration).map {
            StoreMigration("UserDefaults", from: $0.store)
        }
    }

    /// Returns a store backed by a `UserDefaults` object.
    ///
    /// The result is the facade's own store for a ``UserDefaultsFacade``, and a ``UserDefaultsStore`` for any other object.
    ///
    /// - Parameter userDefaults: Any `UserDefaults` object. Stores over the same object observe each other's changes.
    /// - Returns: The store, whose values are also visible through `userDefaults`.
    public static func store(over userDefaults: UserDefaults) -> any KeyValueStore {
        (userDefaults as? UserDefaultsFacade)?.store ?? UserDefaultsStore(userDefaults)
    }

    // MARK: - Opening

    private static func open(_ configuration: StandardStoreConfiguration?) throws -> any KeyValueStore {
        if TestProcess.isCurrent, configuration?.directory == nil {
            return openForTests()
        }
        return try openOnPlatform(configuration)
    }

    /// Returns a memory store, and reports an issue because the store's values are lost when the process ends.
    package static func openForTests() -> any KeyValueStore {
        let store = MemoryStore(name: "device storage of a test process")
        store.issues.report(
            LarderIssue(
                .testProcess,
                "Device storage is in memory because this process can run tests (Swift Testing or XCTest is loaded, or LARDER_TEST_PROCESS is 1). If the process is not a test, set LARDER_TEST_PROCESS=0 or configure a directory."
            )
        )
        return store
    }

    /// Opens the standard store of the current platform.
    ///
    /// If the store is new and values of an earlier version of Larder exist in another store, reports an issue.
    package static func openOnPlatform(
        _ configuration: StandardStoreConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        let path: String? = try PlatformStandardStore.path(configuration, environment: environment)
        let isNew = path.map { !FileManager.default.fileExists(atPath: $0) } ?? false
        let store: any KeyValueStore
        do {
            store = try PlatformStandardStore.open(configuration, environment: environment)
        } catch let error as StoreError where [.notPermitted, .invalidConfiguration].contains(error.code) {
            throw StoreError.noPlace(error, path)
        }
        if isNew, let earlier = PlatformStandardStore.earlierStore(configuration) {
            store.issues.report(
                LarderIssue(
                    .earlierValues,
                    "Device storage is new and does not contain the earlier values in \(earlier.path.debugDescription). Migrate them with `StandardStore.earlierValues()?.run(into: StandardStore.shared)`."
                )
            )
        }
        return store
    }
}

extension LarderIssue.Code {
    /// Device storage is in memory, because the process can run tests.
    public static let testProcess = LarderIssue.Code("testProcess")
}

extension StoreError {
    fileprivate static func noPlace(_ error: StoreError, _ path: String?) -> StoreError {
        StoreError(
            error.code,
            "Device storage can't be opened\(path.map { " at \($0.debugDescription)" } ?? ""). Make the folder writable, or configure device storage with another directory.",
            path: path,
            underlying: error
        )
    }
}
