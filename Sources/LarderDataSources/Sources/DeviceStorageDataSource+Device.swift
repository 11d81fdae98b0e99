public import Foundation
public import LarderCore
import LarderDeviceStorage

extension DeviceStorageDataSource where T: StorableValue {
    /// A source over the device's storage, `DeviceStorage.standard`.
    ///
    /// - Parameters:
    ///   - prefix: Put before every key, with a dot between; empty for bare keys.
    ///   - policy: What may be read as what.
    public init(prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: DeviceStorage.standard, prefix: prefix, policy: policy)
    }

    /// A source over exactly the given `UserDefaults`.
    ///
    /// On Linux `UserDefaults.standard` is another storage than the one `DeviceStorageDataSource()` uses.
    ///
    /// - Parameters:
    ///   - userDefaults: Written through at every put.
    ///   - prefix: Put before every key, with a dot between; empty for bare keys.
    ///   - policy: What may be read as what.
    public init(_ userDefaults: UserDefaults, prefix: String = "", policy: ConversionPolicy = .documented) {
        self.init(store: DeviceStorage.store(over: userDefaults), prefix: prefix, policy: policy)
    }

    /// A source over the device's storage, whose keys are told apart in a chosen way.
    ///
    /// - Parameters:
    ///   - storageType: How its keys are told apart from those of others.
    ///   - policy: What may be read as what.
    public init(storageType: DeviceStorageType, policy: ConversionPolicy = .documented) {
        self.init(store: DeviceStorage.standard, storageType: storageType, policy: policy)
    }

    /// A source over exactly the given `UserDefaults`, whose keys are told apart in a chosen way.
    ///
    /// - Parameters:
    ///   - userDefaults: Written through at every put.
    ///   - storageType: How its keys are told apart from those of others.
    ///   - policy: What may be read as what.
    public init(
        _ userDefaults: UserDefaults,
        storageType: DeviceStorageType,
        policy: ConversionPolicy = .documented
    ) {
        self.init(store: DeviceStorage.store(over: userDefaults), storageType: storageType, policy: policy)
    }
}

// Chosen by the compiler when no initialiser above fits, to say what to do.
extension DeviceStorageDataSource {
    /// Stands for the types a device storage can't hold; it never runs.
    @available(
        *,
        unavailable,
        message:
            "A device storage holds integers, Float, Double, Bool, String, URL, Date, Data, and arrays and [String: T] of these. Map any other type to one of them with DataSourceMapper<In, Out>."
    )
    public init(_ unsupported: UserDefaults = .standard, prefix: String = "") {
        self.init(store: DeviceStorage.standard, prefix: prefix, policy: .documented)
    }

    /// Stands for the types a device storage can't hold; it never runs.
    @available(
        *,
        unavailable,
        message:
            "A device storage holds integers, Float, Double, Bool, String, URL, Date, Data, and arrays and [String: T] of these. Map any other type to one of them with DataSourceMapper<In, Out>."
    )
    public init(_ unsupported: any KeyValueStore, prefix: String = "") {
        self.init(store: unsupported, prefix: prefix, policy: .documented)
    }
}
