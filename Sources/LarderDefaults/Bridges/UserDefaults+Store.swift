import Foundation
import LarderCore
import LarderDeviceStorage

extension UserDefaults {
    /// The store beneath: a facade's own, or one over these very user defaults.
    var keyValueStore: any KeyValueStore { DeviceStorage.store(over: self) }

    /// A facade over the same values, which reports what can't be stored where Foundation would end the process.
    var facade: StoreUserDefaults { self as? StoreUserDefaults ?? StoreUserDefaults(keyValueStore) }

    /// What is registered under a key of a facade; a store over Foundation's own answers for registered values itself.
    func registeredValue(_ key: String) -> StoredValue? { (self as? StoreUserDefaults)?.registeredValue(forKey: key) }
}
