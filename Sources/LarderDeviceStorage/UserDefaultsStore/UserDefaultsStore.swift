import Foundation
import LarderCore
import LarderStores

/// Stands in until the property list form has landed.
func UserDefaultsStore(_ userDefaults: UserDefaults) -> any KeyValueStore { MemoryStore() }
