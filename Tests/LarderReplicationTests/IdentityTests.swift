import LarderCore
import LarderReplication
import LarderStores
import LarderTesting
import Synchronization
import Testing

/// A replica that meets the wrong cluster, and the number by which a cluster knows its replicas.
@Suite
struct IdentityTests {
    private let cluster = SimulatedCluster(seed: 31)
    private let other = SimulatedCluster(seed: 32)

    @Test func pendingCommitsAreNotSentToAnotherCluster() async throws {
        let replica = MemoryStore()
        let a = try Machine(cluster, replica: replica)
        try await a.exchange()
        try a.store.set(1, for: "x")
        let moved = try Machine(other, replica: replica)
        let error = await #expect(throws: StoreError.self) { try await moved.store.push() }
        #expect(error?.code == .invalidConfiguration)
        #expect(other.history.isEmpty)
        #expect(moved.store.freshness.pending == 1)
        let back = try Machine(cluster, replica: replica)
        try await back.exchange()
        try back.expectAgreement(with: cluster)
    }

    @Test func replicatedCommitIsNotSentToAnotherCluster() async throws {
        let replica = MemoryStore()
        let a = try Machine(cluster, replica: replica)
        try await a.exchange()
        var options = ReplicatedStoreOptions()
        options.deadline = .milliseconds(50)
        let moved = try Machine(other, replica: replica, options: options)
        let error = await #expect(throws: StoreError.self) {
            try await moved.store.set(1, for: "x", durability: .replicated)
        }
        #expect(error?.code == .notConfirmed)
        #expect(error?.message.contains("Nothing has changed") == true)
        #expect(other.history.isEmpty)
        #expect(try moved.store.verify().problems == [])
    }

    @Test func connectionIsCheckedAgainAfterAFailure() async throws {
        let replica = MemoryStore()
        let calls = Mutex(0)
        var hooks = HookedEngine.Hooks()
        hooks.changes = { calls.withLock { $0 += 1 } }
        let a = try Machine(cluster, replica: replica, hooks: hooks)
        try await a.exchange()
        try a.store.set(1, for: "x")
        var faults = SimulatedCluster.Faults()
        faults.lost = 1
        a.engine.setFaults(faults)
        await #expect(throws: (any Error).self) { try await a.store.push() }
        a.engine.setFaults(SimulatedCluster.Faults())
        let before = calls.withLock(\.self)
        #expect(try await a.store.push() == .advanced)
        #expect(calls.withLock(\.self) > before)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func replicaKeepsItsNumber() async throws {
        let replica = MemoryStore()
        let (a, b) = (try Machine(cluster, "a", replica: replica), try Machine(cluster, "b"))
        try a.store.set(1, for: "x")
        for machine in [a, b, try Machine(cluster, "a", replica: replica)] { try await machine.exchange() }
        #expect(cluster.replicas.count == 2)
        #expect(Set(cluster.replicas.values.map(\.revision)) == [1])
    }
}
