public import Foundation
public import LarderCore
import LarderDeviceStorage

extension DeviceStorageDataSource where T: StorableValue {
    /// Creates a source that uses the device's storage, `StandardStore.shared`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of all keys, without the dot that follows it. If the prefix is empty, keys are used unchanged.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: StandardStore.shared, prefix: prefix, policy: policy)
    }

    /// Creates a source that uses the given `UserDefaults`.
    ///
    /// On Linux, `UserDefaults.standard` and `DeviceStorageDataSource()` don't share their values.
    ///
    /// - Parameters:
    ///   - userDefaults: The user defaults that hold the values. Each put writes to them immediately.
    ///   - prefix: The prefix of all keys, without the dot that follows it. If the prefix is empty, keys are used unchanged.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(_ userDefaults: UserDefaults, prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: StandardStore.store(over: userDefaults), prefix: prefix, policy: policy)
    }

    /// Creates a source that uses the device's storage and the given key layout.
    ///
    /// - Parameters:
    ///   - storageType: The key layout, which separates the source's keys from other keys in the storage.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(storageType: DeviceStorageType, policy: ConversionPolicy = .documented) {
        self.init(store: StandardStore.shared, storageType: storageType, policy: policy)
    }

    /// Creates a source that uses the given `UserDefaults` and key layout.
    ///
    /// - Parameters:
    ///   - userDefaults: The user defaults that hold the values. Each put writes to them immediately.
    ///   - storageType: The key layout, which separates the source's keys from other keys in the storage.
    ///   - policy: The policy that decides which conversions are allowed when a value is read.
    public init(
        _ userDefaults: UserDefaults,
        storageType: DeviceStorageType,
        policy: ConversionPolicy = .documented
    ) {
        self.init(store: StandardStore.store(over: userDefaults), storageType: storageType, policy: policy)
    }
}

// The compiler selects these initializers for unsupported types, to show a helpful error message.
extension DeviceStorageDataSource {
    /// Unavailable, because values of this type can't be stored in device storage.
    @available(
        *,
        unavailable,
        message:
            "Device storage holds integers, Float, Double, Bool, String, URL, Date, Data, and arrays and [String: T] of these. Map any other type to one of them with DataSourceMapper<In, Out>."
    )
    public init(_ unsupported: UserDefaults = .standard, prefix: String = "") {
        self.init(store: StandardStore.shared, prefix: prefix, policy: .documented)
    }

    /// Unavailable, because values of this type can't be stored in device storage.
    @available(
        *,
        unavailable,
        message:
            "Device storage holds integers, Float, Double, Bool, String, URL, Date, Data, and arrays and [String: T] of these. Map any other type to one of them with DataSourceMapper<In, Out>."
    )
    public init(_ unsupported: any KeyValueStore, prefix: String = "") {
        self.init(store: unsupported, prefix: prefix, policy: .documented)
    }
}
