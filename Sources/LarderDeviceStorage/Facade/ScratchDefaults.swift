package import Foundation
package import LarderCore
import LarderStores

/// In-memory user defaults for code that requires a `UserDefaults` object.
package struct ScratchDefaults {
    private let store = MemoryStore(name: "scratch")
    /// A `UserDefaults` object that reads and writes the scratch store.
    package var userDefaults: UserDefaults { UserDefaultsFacade(store) }

    /// Creates empty user defaults.
    package init() {}

    /// Creates user defaults that hold `value` under `key`, or nothing if `value` is `nil`.
    ///
    /// - Throws: `StoreError` if the key or the value is invalid.
    package init(_ value: StoredValue?, for key: StoreKey) throws {
        if let value { try store.set(value, for: key) }
    }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Throws: `StoreError` if the key is invalid.
    package func value(for key: StoreKey) throws -> StoredValue? { try store.get(key) }

    /// All entries, sorted by key.
    package var entries: [StoreEntry] { get throws { try store.entries() } }

    /// A number that increases with each write that changes a value.
    package var revision: UInt64 { store.revision }
}
