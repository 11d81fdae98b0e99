#if Encryption
import LarderCore
import LarderStores
import Testing

/// Stores that are opened by whoever did not make them.
@Suite struct RecognitionTests {
    private let base = MemoryStore()
    private let keyBytes = (0..<32).map { UInt8($0) }

    @Test func anEncryptedStoreIsToldFromAnother() throws {
        try base.set(1, for: "plain")
        #expect(try !EncryptedEntries.lie(in: base))
        let other = MemoryStore()
        let store = try EncryptedStore(other, key: exampleKey)
        #expect(try EncryptedEntries.lie(in: other))
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func aStoreIsOpenedWithTheOptionsItWasMadeWith(options: EncryptedStore.Options) throws {
        try EncryptedStore(base, key: exampleKey, options: options).set(1, for: "k")
        let store = try EncryptedStore(opening: base, keyBytes: keyBytes)
        #expect(try store.get("k") == 1)
        try store.set(2, for: "k")
        #expect(try EncryptedStore(base, key: exampleKey, options: options).get("k") == 2)
        try expectIntact(store)
    }

    @Test func anEmptyBaseBecomesAStoreWithTheDefaults() throws {
        try EncryptedStore(opening: base, keyBytes: keyBytes).set(1, for: "k")
        let store = try EncryptedStore(base, key: exampleKey)
        #expect(try store.get("k") == 1)
        try expectIntact(store)
    }

    @Test func aWrongKeyIsAnErrorAndChangesNothing() throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        let before = base.revision
        expectCode(.wrongKey) { _ = try EncryptedStore(opening: base, keyBytes: keyBytes.reversed()) }
        #expect(base.revision == before)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }
}
#endif
