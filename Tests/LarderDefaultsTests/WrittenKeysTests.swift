import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import Testing

/// Tests the recorded names of written keys, which `removeAll` and `exportValues` need because computed keys can't be listed.
struct WrittenKeysTests {
    private struct Keys: DefaultsKeyStore {}
    private struct OtherKeys: DefaultsKeyStore {}
    private struct LongKeys: DefaultsKeyStore {
        static var keyStoreName: String { String(repeating: "n", count: StoreKey.maximumLength) }
    }

    private let store = CountingStore(MemoryStore())
    private static let formerRecord = StoreKey(reserved: ".defaults.written")

    private func adapter<KeyStore: DefaultsKeyStore>(_ keyStore: KeyStore) -> DefaultsAdapter<KeyStore> {
        DefaultsAdapter(store: store, keyStore: keyStore)
    }

    private func number(_ name: String) -> DefaultsKey<Int> { DefaultsKey(name, defaultValue: 0) }

    @Test func recordingWrittenKeyHasConstantCost() throws {
        let adapter = adapter(Keys())
        func bytes(of names: Range<Int>) -> Int {
            let before = store.bytes
            for name in names { adapter[key: number("name \(name)")] = name }
            return store.bytes - before
        }
        let first = bytes(of: 10_000..<10_100)
        _ = bytes(of: 20_000..<22_000)
        #expect(bytes(of: 30_000..<30_100) < 2 * first)
        #expect(try adapter.storedNames().count == 2_200)
        adapter.removeAll()
        #expect(try store.count() == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func recordedKeysAreListedPerKeyStore() throws {
        for name in ["a", "b", "e\u{301}", "é", String(repeating: "k", count: StoreKey.maximumLength)] {
            adapter(Keys())[key: number(name)] = 1
            adapter(LongKeys())[key: number("long \(name.prefix(1).utf8.count) \(name.utf8.count)")] = 2
        }
        adapter(OtherKeys())[key: number("c")] = 3
        #expect(try adapter(Keys()).storedNames().count == 5)
        #expect(try adapter(LongKeys()).storedNames().count == 4)
        adapter(LongKeys()).removeAll()
        #expect(try adapter(LongKeys()).storedNames().isEmpty)
        #expect(try adapter(Keys()).storedNames().count == 5)
        adapter(Keys()).removeAll()
        #expect(try store.keys() == ["c"])
        #expect(try store.verify().isIntact)
    }

    @Test func keysRecordedByEarlierVersionAreListed() throws {
        let (own, other) = (Keys.keyStoreName, OtherKeys.keyStoreName)
        let record: StoredValue = .dictionary([own: ["a", "b"], other: ["c"]])
        try store.set(record, for: Self.formerRecord)
        for name in ["a", "b", "c"] { try store.set(1, for: StoreKey(name)) }
        #expect(try adapter(Keys()).storedNames() == ["a", "b"])
        adapter(Keys())[key: number("b")] = 2
        adapter(Keys())[key: number("d")] = 2
        #expect(try adapter(Keys()).storedNames() == ["a", "b", "d"])
        #expect(try adapter(OtherKeys()).storedNames() == ["c"])
        adapter(Keys()).removeAll()
        #expect(try store.keys() == ["c"])
        adapter(OtherKeys()).removeAll()
        #expect(try store.count() == 0)
        #expect(try store.verify().isIntact)
    }

    /// The second adapter behaves like another process, which does not know that the value was removed.
    @Test func removeAllRemovesKeyRewrittenByAnotherAdapter() throws {
        let (first, second) = (adapter(Keys()), adapter(Keys()))
        for number in 1...3 { first[key: self.number("a")] = number }
        second.removeAll()
        #expect(try store.count() == 0)
        first[key: number("a")] = 4
        second.removeAll()
        #expect(try store.count() == 0)
        first[key: number("a")] = 5
        second.remove(number("a"))
        first[key: number("a")] = 6
        second.removeAll()
        #expect(try store.count() == 0)
    }
}
