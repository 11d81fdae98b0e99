import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Synchronization
import Testing

@Suite(.expectsIssues(.rolledBack))
struct ConflictTests {
    private let cluster = SimulatedCluster(seed: 12)

    @Test func refusedCommitIsRolledBack() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try b.store.set("first", for: "x")
        try await b.exchange()
        let events = Mutex<[StoreEvent]>([])
        let observation = a.store.observe(prefix: "") { event in events.withLock { $0.append(event) } }
        var batch = StoreBatch()
        batch.expect(nil, at: "x")
        batch.set("second", for: "x")
        batch.set(1, for: "y")
        #expect(try a.store.commit(batch))
        #expect(try a.store.get("x") == "second")
        try await a.exchange()
        observation.cancel()
        #expect(try a.store.entries() == StoreEntry.entries(["x": "first"]))
        let rejected = try a.store.rejected()
        #expect(rejected.map(\.reason) == [.refused])
        #expect(rejected.first?.writes == [.init(key: "x", value: "second"), .init(key: "y", value: 1)])
        let entries = events.withLock(\.self).map { event in
            if case .change(let change) = event { change.entries.count } else { 0 }
        }
        #expect(entries.count == 2)
        try a.expectAgreement(with: cluster)
        try await a.store.discardRejected(through: rejected[0].number)
        #expect(try a.store.rejected().isEmpty)
    }

    @Test func allRejectedCommitsCanBeDiscarded() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try b.store.set("first", for: "x")
        try await b.exchange()
        var batch = StoreBatch()
        batch.expect(nil, at: "x")
        batch.set("second", for: "x")
        #expect(try a.store.commit(batch))
        try await a.exchange()
        try await a.store.discardRejected(through: .max)
        #expect(try a.store.rejected().isEmpty)
        try a.expectAgreement(with: cluster)
    }

    @Test func commitsThatStoodOnARefusedOneAreRolledBack() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try await a.exchange()
        try b.store.set(9, for: "x")
        try await b.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 1))
        #expect(try a.store.compareAndSet("x", expecting: 1, to: 2))
        try await a.store.transaction(durability: .buffered) { transaction in
            let count = try transaction.entries(prefix: "x").count
            try transaction.set(.int(Int64(count)), for: "count")
        }
        #expect(try a.store.compareAndSet("other", expecting: nil, to: 1))
        try a.store.set(7, for: "x.blind")
        #expect(try await a.store.push() == .advanced)
        #expect(try a.store.entries() == StoreEntry.entries(["other": 1, "x": 9, "x.blind": 7]))
        #expect(try a.store.rejected().map(\.reason) == [.refused, .stoodOnRejected, .stoodOnRejected])
        #expect(try a.store.verify().problems == [])
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.entries() == StoreEntry.entries(["other": 1, "x": 9, "x.blind": 7]))
    }

    @Test func recordsThatStayLocalAreNotRolledBack() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try b.store.set(9, for: "x")
        try await b.exchange()
        let local = StoreKey(reserved: ".outbox:1:n:state")
        var batch = StoreBatch()
        batch.expect(nil, at: "x")
        batch.set(1, for: "x")
        batch.set(2, for: local)
        #expect(try a.store.commit(batch))
        try await a.exchange()
        #expect(try a.store.rejected().count == 1)
        #expect(try a.store.get(local) == 2)
        try a.expectAgreement(with: cluster)
    }

    @Test func laterBlindWriteOfTheSameKeyStays() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try b.store.set(9, for: "x")
        try await b.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 1))
        try a.store.set(2, for: "x")
        try await a.exchange()
        #expect(try a.store.get("x") == 2)
        #expect(try a.store.rejected().count == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func clusterJudgesExpectationsAgain() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set(1, for: "x")
        try await a.exchange()
        try await b.exchange()
        #expect(try b.store.compareAndSet("x", expecting: 1, to: 2))
        // The expectation fails in between, and holds where the cluster puts the commit.
        try a.store.set(5, for: "x")
        try await a.exchange()
        _ = try await b.store.pull()
        try a.store.set(1, for: "x")
        try await a.exchange()
        try await b.exchange()
        #expect(try b.store.get("x") == 2)
        #expect(try b.store.rejected().isEmpty)
        try b.expectAgreement(with: cluster)
    }

    @Test func ruleMayReplaceARefusedCommit() async throws {
        var options = ReplicatedStoreOptions()
        options.rule = .resolving { commit, confirmed in
            guard case .int(let mine)?? = commit.writes.first?.value.map({ $0 as StoredValue? }),
                let value = try? confirmed.get("n"), case .int(let theirs) = value
            else { return nil }
            var batch = StoreBatch()
            batch.expect(.int(theirs), at: "n")
            batch.set(.int(max(mine, theirs)), for: "n")
            return batch
        }
        let (a, b) = (try Machine(cluster, "a", options: options), try Machine(cluster, "b"))
        try b.store.set(3, for: "n")
        try await b.exchange()
        #expect(try a.store.compareAndSet("n", expecting: nil, to: 8))
        try await a.exchange()
        #expect(try a.store.get("n") == 8)
        #expect(try a.store.rejected().isEmpty)
        try a.expectAgreement(with: cluster)
        #expect(try cluster.entries() == StoreEntry.entries(["n": 8]))
    }

    @Test func ruleMayDropARefusedCommit() async throws {
        var options = ReplicatedStoreOptions()
        options.rule = .resolving { _, _ in StoreBatch() }
        let (a, b) = (try Machine(cluster, "a", options: options), try Machine(cluster, "b"))
        try b.store.set(3, for: "n")
        try await b.exchange()
        #expect(try a.store.compareAndSet("n", expecting: nil, to: 8))
        try await a.exchange()
        #expect(try a.store.rejected().isEmpty)
        #expect(cluster.history.count == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func conflictsFollowTheOrderOfTheCluster() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set("from a", for: "x")
        try b.store.set("from b", for: "x")
        try await b.exchange()
        try await a.exchange()
        try await b.exchange()
        for machine in [a, b] {
            #expect(try machine.store.get("x") == "from a")
            try machine.expectAgreement(with: cluster)
        }
    }
}
