import Foundation
import LarderCore
import LarderDeviceStorage

extension UserDefaults {
    /// A store that reads and writes the values of this object.
    var keyValueStore: any KeyValueStore { StandardStore.store(over: self) }

    /// This object if it is a ``UserDefaultsFacade``, or otherwise a new facade that reads and writes this object.
    ///
    /// Unlike Foundation, a facade does not crash if a value can't be stored, but reports an issue.
    var facade: UserDefaultsFacade { self as? UserDefaultsFacade ?? UserDefaultsFacade(keyValueStore) }

    /// Returns the registered default of a key if this object is a ``UserDefaultsFacade``, or `nil` otherwise.
    ///
    /// For any other object, ``keyValueStore`` itself returns registered defaults.
    func registeredValue(_ key: String) -> StoredValue? { (self as? UserDefaultsFacade)?.registeredValue(forKey: key) }
}
