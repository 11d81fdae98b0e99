import LarderCore
import LarderStores
import Testing

@Suite struct MemoryStoreTests {
    let store = MemoryStore()

    @Test func prefixedKeyEqualsKeyWithSameFullName() throws {
        try store.set(3.5, for: StoreKey("pi", prefix: "Double."))
        #expect(try store.get("Double.pi") == 3.5)
        #expect(store.verify().isIntact)
    }

    @Test func memoryStoreRejectsAndHidesReservedKeys() throws {
        #expect(throws: StoreError.self) { try store.set(1, for: "\u{0}larder.x") }
        var batch = StoreBatch()
        batch.set(1, for: StoreKey(reserved: ".side"))
        let observation = Observed(store)
        #expect(try store.commit(batch))
        #expect(try store.get(StoreKey(reserved: ".side")) == 1)
        #expect(store.entries(prefix: "").isEmpty)
        #expect(observation.events.isEmpty)
        #expect(store.verify().isIntact)
    }

    @Test func lastWriteToKeyInBatchWinsAndIsDeliveredOnce() throws {
        let observed = Observed(store)
        var batch = StoreBatch()
        batch.set(1, for: "a")
        batch.set(2, for: "b")
        batch.set(3, for: "a")
        #expect(try store.commit(batch))
        #expect(
            observed.events == [
                .change(
                    StoreChange(
                        entries: [.init(key: "a", old: nil, new: 3), .init(key: "b", old: nil, new: 2)],
                        origin: .thisProcess
                    )
                )
            ]
        )
    }

    @Test func noOpCommitNotifiesNoObserverAndKeepsRevision() throws {
        try store.set(1, for: "a")
        let revision = store.revision
        let observed = Observed(store)
        try store.set(1, for: "a")
        try store.remove("never")
        #expect(observed.events.isEmpty)
        #expect(store.revision == revision)
    }

    @Test func failedExpectationChangesNothing() throws {
        try store.set(1, for: "a")
        #expect(try store.compareAndSet("a", expecting: 2, to: 3) == false)
        #expect(try store.get("a") == 1)
        #expect(try store.compareAndSet("a", expecting: 1, to: nil))
        #expect(try store.contains("a") == false)
    }

    @Test func invalidWriteFailsEntireBatch() throws {
        var batch = StoreBatch()
        batch.set(1, for: "a")
        batch.set(.null, for: "b")
        #expect(throws: StoreError.self) { try store.commit(batch) }
        #expect(store.entries(prefix: "").isEmpty)
    }

    @Test func asyncCommitsBehaveLikeBlockingCommits() async throws {
        try await store.set(1, for: "a", durability: .synced)
        try await store.flush()
        #expect(try store.get("a") == 1)
    }
}
