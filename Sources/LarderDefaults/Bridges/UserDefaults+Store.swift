import Foundation
import LarderCore
import LarderDeviceStorage

extension UserDefaults {
    /// A store that reads and writes the values of this object.
    var keyValueStore: any KeyValueStore { StandardStore.store(over: self) }

    /// This object if it is a facade, or otherwise a new facade over this object.
    ///
    /// A facade reports an issue for values that make Foundation crash.
    var facade: UserDefaultsFacade { self as? UserDefaultsFacade ?? UserDefaultsFacade(keyValueStore) }

    /// Returns a facade's registered default for a key, or `nil` if this object is not a facade.
    ///
    /// Without a facade, the object's store returns registered defaults.
    func registeredValue(_ key: String) -> StoredValue? { (self as? UserDefaultsFacade)?.registeredValue(forKey: key) }
}
