#if Encryption
import LarderCore
import LarderStores
import Testing

/// Tests of the example in `Documentation/Formats/encrypted-store-v2.md`.
@Suite struct SharedFormatTests {
    static let header = """
        4C 45 53 02 01 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 15 05 15 25 35 45 55 65 \
        DE 01 EB E4 CD E4 7C 41 6F D7 8B A4 77 BE 0D 5D 58 59 5A 5B 5C 5D 5E 5F 60 61 62 63 \
        A7 B1 EC B2 BC 58 F4 3D CE 4A AE 1C 96 A5 78 A1 96 C4 45 04 FC 92 7A F7 DE 49 B6 AB 2E 78 B7 18 \
        31 EF 1B 55 53 4D F1 F8 6C A5 34 50 4A E8 92 8F CE 28 A1 49 10 E2 88 8B F8 38 76 AF 2C 36 E4 28 \
        20 8E E3 14 A4 28 C8 EA 1E 82 DF 0A 2E FD 28 F8 F2 AA 90 3F
        """
    static let salt = "64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 "
    static let entries: [EncryptedStore.Options: (key: String, bytes: String)] = [
        .init(): ("pi", "3D BD 79 EE 1A 8F 80 5F CB A5 81 41 6B EA 5C 04 35 C5"),
        .init(hidesNames: true): (
            "d5894cecdd8b346cbf012b12fec70e3f", "3E EB 9A 3A 8D DA 7A 9E 9D 36 24 1D D1 F1 3A A6 7F 34 63 21 C7 DE"
        ),
        .init(cipher: .chaChaPoly): ("pi", "C8 A6 68 6A 09 5B B3 28 23 D3 44 C8 42 D3 45 F7 08 94"),
        .init(cipher: .chaChaPoly, hidesNames: true): (
            "d5894cecdd8b346cbf012b12fec70e3f", "CB F0 A9 6C 76 FE E7 47 69 57 66 88 98 6E A6 D2 79 C4 BB CA A4 81"
        ),
    ]

    private func example(_ options: EncryptedStore.Options = .init()) throws -> MemoryStore {
        let base = MemoryStore()
        let shared = ReplicatedBase(base: base)
        let store = try EncryptedStore(shared, key: exampleKey, options: options, environment: .counting())
        #expect(try base.get(headerRecord) == nil)
        try store.set(42, for: "pi")
        try expectIntact(store)
        return base
    }

    @Test func recordsMatchSharedFormatDocument() throws {
        let base = try example()
        #expect(try base.get(headerRecord).map { hexadecimal($0.bytes) } == Self.header)
        #expect(try base.get(epochRecord) == 1_514_640_099_231_749_477)
        #expect(try base.get(sessionsRecord) == nil && base.get(saltRecord(0)) == nil)
    }

    @Test(arguments: allOptions)
    func entryMatchesSharedFormatDocument(options: EncryptedStore.Options) throws {
        let expected = try #require(Self.entries[options])
        let nonce = String(repeating: "00 ", count: 12)
        let entries = try example(options).entries()
        #expect(entries.map(\.key) == [expected.key])
        #expect(entries.map { hexadecimal($0.value.bytes) } == [Self.salt + nonce + expected.bytes])
    }

    /// A replica whose cluster is gone is a store of one machine.
    @Test(arguments: [false, true])
    func storeInTheSharedFormatIsUsableOnOneMachine(hidesNames: Bool) throws {
        let base = MemoryStore()
        let options = EncryptedStore.Options(hidesNames: hidesNames)
        try EncryptedStore(ReplicatedBase(base: base), key: exampleKey, options: options).set(1, for: "a")
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        #expect(try store.get("a") == 1)
        try store.set(2, for: "b")
        #expect(try store.rotateDataKey() == 2)
        try store.changeKey(to: otherKey)
        let reopened = try EncryptedStore(base, key: otherKey, options: options)
        #expect(try reopened.entries() == [StoreEntry(key: "a", value: 1), StoreEntry(key: "b", value: 2)])
        try expectIntact(reopened)
    }

    @Test func changedByteOfASaltIsDetected() throws {
        let base = ReplicatedBase(base: MemoryStore())
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set(1, for: "k")
        let sealed = try #require(try base.get("k")).bytes
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1
            try base.set(.data(changed), for: "k")
            for instance in [store, try EncryptedStore(base, key: exampleKey)] {
                expectCode(.damaged, key: "k") { _ = try instance.get("k") }
            }
        }
        try base.set(.data(sealed), for: "k")
        try expectIntact(store)
    }
}
#endif
