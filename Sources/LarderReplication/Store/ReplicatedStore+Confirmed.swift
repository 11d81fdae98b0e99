package import LarderCore

// What an encrypted store needs beside the calls of every store.
extension ReplicatedStore: ConfirmedStore, CompactingStore {
    package func confirmedValue(_ key: StoreKey) throws -> StoredValue? { try confirmed.get(key) }

    package func confirmedEntries(prefix: String) throws -> [StoreEntry] { try confirmed.entries(prefix: prefix) }

    /// Compacts the replica, if it is a store that can be compacted.
    package func compact() throws { try (base as? any CompactingStore)?.compact() }
}
