#if Encryption
import LarderCore
import LarderStores
import Testing

/// Tests of the example in `Documentation/Formats/encrypted-store-v1.md`.
@Suite struct EncryptedStoreFormatTests {
    static let header = """
        4C 45 53 01 01 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 00 00 00 00 00 00 00 01 \
        B0 EF 6F 23 91 7F 79 0F D1 17 34 1C EC F3 A2 13 50 51 52 53 54 55 56 57 58 59 5A 5B \
        18 84 CB 40 26 A9 0E 5A 67 21 EF F9 4B 08 06 BA 03 95 7E 8E 6A 6D 77 83 DE 83 7B 57 FC 5F 6E 03 \
        8E D9 1D A8 E8 FC 2B 8C 27 3C ED A6 78 AC F6 69 15 EA CA FB 00 DB C6 96 83 D2 1E 20 DF A5 82 14 \
        BB 63 14 21 2A 71 40 CB B8 F8 50 EC 9B 9B 2F 04 28 F5 6D 3A
        """
    static let salt = """
        5C 5D 5E 5F 60 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 71 72 73 74 75 76 77 78 79 7A 7B
        """
    static let entries: [EncryptedStore.Options: (key: String, bytes: String)] = [
        .init(): ("pi", "45 94 31 43 07 B8 D9 D9 5E A0 36 5C 05 8B 86 18 DE AF"),
        .init(hidesNames: true): (
            "d5894cecdd8b346cbf012b12fec70e3f", "46 C2 6B FC 7B 2F 07 33 8D 99 A6 A7 6A 95 9C CD 38 B5 B3 EB 9A 7D"
        ),
        .init(cipher: .chaChaPoly): ("pi", "D1 AF 59 1D 1F 58 8C D4 19 A5 6F D5 FD A5 58 CC 8C 40"),
        .init(cipher: .chaChaPoly, hidesNames: true): (
            "d5894cecdd8b346cbf012b12fec70e3f", "D2 F9 89 61 92 CA 0F 9A 0D F0 77 B3 65 20 FB 7C 94 3E 44 EE 47 9D"
        ),
    ]

    private func example(_ options: EncryptedStore.Options = .init()) throws -> MemoryStore {
        let base = MemoryStore()
        let store = try EncryptedStore(base, key: exampleKey, options: options, environment: .counting())
        try store.set(42, for: "pi")
        try expectIntact(store)
        return base
    }

    @Test func recordsMatchEncryptedStoreFormatDocument() throws {
        let base = try example()
        #expect(try base.get(headerRecord).map { hexadecimal($0.bytes) } == Self.header)
        #expect(try base.get(epochRecord) == 1)
        #expect(try base.get(sessionsRecord) == 1)
        #expect(try base.get(saltRecord(0)).map { hexadecimal($0.bytes) } == Self.salt)
    }

    @Test(arguments: allOptions)
    func entryMatchesEncryptedStoreFormatDocument(options: EncryptedStore.Options) throws {
        let expected = try #require(Self.entries[options])
        let nonce = String(repeating: "00 ", count: 12)
        let entries = try example(options).entries()
        #expect(entries.map(\.key) == [expected.key])
        #expect(entries.map { hexadecimal($0.value.bytes) } == [nonce + expected.bytes])
    }
}
#endif
