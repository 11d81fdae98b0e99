import LarderCore
import LarderStores
import Testing

@Suite struct PrefixedStoreTests {
    let base = MemoryStore()

    @Test func prefixedStoreReadsAndWritesPrefixedKeys() throws {
        let view = PrefixedStore(base, prefix: "app.")
        try view.set(1, for: "a")
        try base.set(2, for: "other")
        #expect(try base.get("app.a") == 1)
        #expect(try view.entries() == [StoreEntry(key: "a", value: 1)])
        #expect(view.inspectionName == "memory \"app.\"")
        #expect(view.inspectionKind == "memory")
        #expect(try view.verify().checkedEntries == 2)
    }

    @Test func prefixedStoresDoNotShareReservedKeys() throws {
        let key = StoreKey(reserved: ".version")
        func write(_ value: StoredValue, to store: some KeyValueStore) throws { try store.set(value, for: key) }
        let stores: [any KeyValueStore] = [
            base, PrefixedStore(base, prefix: "a"), PrefixedStore(base, prefix: "ab"), PrefixedStore(base, prefix: ""),
            PrefixedStore(PrefixedStore(base, prefix: "a"), prefix: "b"),
        ]
        for (number, store) in stores.enumerated() { try write(.int(Int64(number)), to: store) }
        for (number, store) in stores.enumerated() { #expect(try store.get(key) == .int(Int64(number))) }
        #expect(base.entries(prefix: "").isEmpty)
    }

    @Test func prefixCountsTowardKeyLength() throws {
        let view = PrefixedStore(base, prefix: "12345678")
        try view.set(1, for: String(repeating: "k", count: StoreKey.maximumLength - 8))
        #expect(throws: StoreError.self) {
            try view.set(1, for: String(repeating: "k", count: StoreKey.maximumLength - 7))
        }
    }

    @Test func prefixedStoreChangesHaveUnprefixedKeys() async throws {
        let view = PrefixedStore(PrefixedStore(base, prefix: "a."), prefix: "b.")
        var changes = view.changes().makeAsyncIterator()
        let observed = Observed(view)
        try base.set(0, for: "a.other")
        try base.set(1, for: "a.b.k")
        let expected = StoreEvent.change(
            StoreChange(entries: [.init(key: "k", old: nil, new: 1)], origin: .thisProcess)
        )
        #expect(await changes.next() == expected)
        #expect(observed.events == [expected])
    }

    @Test func prefixedStoreChangeSequenceDoesNotRetainBase() async throws {
        var changes = PrefixedStore(MemoryStore(), prefix: "a.").changes().makeAsyncIterator()
        #expect(await changes.next() == nil)
    }

    @Test(arguments: [".side", ".a side value with a longer name"])
    func reservedKeysInBatchesAreSeparatePerPrefix(name: String) throws {
        let store = PrefixedStore(base, prefix: "a.")
        var batch = StoreBatch()
        batch.set(1, for: StoreKey(reserved: name))
        #expect(try store.commit(batch))
        #expect(try store.get(StoreKey(reserved: name)) == 1)
        #expect(try base.get(StoreKey(reserved: name)) == nil)
    }

    @Test func prefixedStoreObservationDoesNotRetainBase() {
        weak var released: MemoryStore?
        let observation: StoreObservation
        do {
            let base = MemoryStore()
            released = base
            observation = PrefixedStore(base, prefix: "a.").observe(prefix: "") { _ in }
        }
        #expect(released == nil)
        withExtendedLifetime(observation) {}
    }
}
