package import Foundation
package import LarderCore
import LarderStores

/// User defaults in memory that end with this value, for code that can only save into user defaults or read from them.
package struct ScratchDefaults {
    private let store = MemoryStore(name: "scratch")
    /// What the code is given.
    package var userDefaults: UserDefaults { StoreUserDefaults(store) }

    /// User defaults that hold nothing.
    package init() {}

    /// User defaults that hold `value` under `key`, or nothing if `value` is `nil`.
    ///
    /// - Throws: ``StoreError`` if a store refuses the key or the value.
    package init(_ value: StoredValue?, for key: StoreKey) throws {
        if let value { try store.set(value, for: key) }
    }

    /// Returns the value under `key`, or `nil` if there is none.
    ///
    /// - Throws: ``StoreError`` if a store refuses the key.
    package func value(for key: StoreKey) throws -> StoredValue? { try store.get(key) }

    /// Every entry, sorted by key.
    package var entries: [StoreEntry] { get throws { try store.entries() } }

    /// A number that grows with each write that changes something.
    package var revision: UInt64 { store.revision }
}
