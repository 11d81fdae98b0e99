package import Foundation
package import LarderCore
import LarderStores

/// Temporary user defaults in memory, for code that can only read from or save to a `UserDefaults` object.
package struct ScratchDefaults {
    private let store = MemoryStore(name: "scratch")
    /// The object to pass to code that takes a `UserDefaults`.
    package var userDefaults: UserDefaults { UserDefaultsFacade(store) }

    /// Creates temporary user defaults that hold no values.
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
