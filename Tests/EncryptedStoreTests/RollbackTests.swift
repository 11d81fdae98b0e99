#if Encryption
import LarderCore
import LarderStores
import Testing

/// Tests of a store that has its base open while an older copy of the base is restored.
@Suite struct RollbackTests {
    private let base = MemoryStore()

    /// Creates a store that has seen a later epoch than its base contains and in which another instance encrypted "a".
    private func rolledBack(hasWritten: Bool) throws -> EncryptedStore {
        let other = try EncryptedStore(base, key: exampleKey)
        try other.set(1, for: "a")
        let past = try everything()
        try other.rotateDataKey()
        let store = try EncryptedStore(base, key: exampleKey)
        if hasWritten { try store.set(2, for: "b") }
        var batch = StoreBatch()
        for key in try everything().keys where past[key] == nil { batch.remove(key) }
        for (key, value) in past { batch.set(value, for: key) }
        #expect(try base.commit(batch))
        return store
    }

    private func everything() throws -> [StoreKey: StoredValue] {
        var found: [StoreKey: StoredValue] = [:]
        for name in ["", ".epoch", ".sessions", ".session.0", ".session.1", ".session.2"].map({ ".encrypted" + $0 }) {
            let key = StoreKey(reserved: name)
            found[key] = try base.get(key)
        }
        for entry in try base.entries() { found[StoreKey(entry.key)] = entry.value }
        return found
    }

    @Test(arguments: [false, true]) func writeThrowsIfBaseStoreIsRolledBack(hasWritten: Bool) throws {
        let store = try rolledBack(hasWritten: hasWritten)
        let before = try everything()
        expectCode(.damaged) { try store.set(3, for: "c") }
        expectCode(.damaged) { _ = try store.compareAndSet("c", expecting: nil, to: 3) }
        #expect(try everything() == before)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func readThrowsDamagedIfBaseStoreIsRolledBack() throws {
        let store = try rolledBack(hasWritten: true)
        expectCode(.damaged) { _ = try store.entries() }
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func reopenedEncryptedStoreReadsRolledBackState() throws {
        _ = try rolledBack(hasWritten: true)
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set(3, for: "c")
        #expect(try store.entries() == [StoreEntry(key: "a", value: 1), StoreEntry(key: "c", value: 3)])
        try expectIntact(store)
    }
}
#endif
