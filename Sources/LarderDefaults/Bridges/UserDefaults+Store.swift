import Foundation
import LarderCore
import LarderDeviceStorage

extension UserDefaults {
    /// The facade's store if this object is a facade, or else a store over this object.
    var keyValueStore: any KeyValueStore { StandardStore.store(over: self) }

    /// A facade over this object, which reports an issue for values on which Foundation would crash.
    var facade: UserDefaultsFacade { self as? UserDefaultsFacade ?? UserDefaultsFacade(keyValueStore) }

    /// Returns the default that is registered under a key, if this object is a facade.
    ///
    /// For other objects, the result is `nil`, because their store itself returns registered defaults.
    func registeredValue(_ key: String) -> StoredValue? { (self as? UserDefaultsFacade)?.registeredValue(forKey: key) }
}
