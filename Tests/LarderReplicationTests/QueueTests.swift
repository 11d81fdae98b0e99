import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Testing

@Suite(.expectsIssues(.rolledBack))
struct QueueTests {
    private let cluster = SimulatedCluster(seed: 13, limits: SimulatedCluster.strictLimits)

    private func expectError(_ code: StoreError.Code, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.code == code)
    }

    @Test func writesQueueWithoutAConnection() async throws {
        let a = try Machine(cluster)
        cluster.setReachable("a", false)
        for number in 0..<10 { try a.store.set(.int(Int64(number)), for: StoreKey("key.\(number % 3)")) }
        await #expect(throws: SimulatedEngine.Unreachable.self) { try await a.store.pull() }
        #expect(a.store.freshness.pending == 10)
        #expect(a.store.freshness.lastContact == nil)
        #expect(try a.store.entries().count == 3)
        #expect(try a.store.confirmed.entries() == [])
        cluster.setReachable("a", true)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(a.store.freshness.position?.revision == 1)
    }

    @Test func queueOutlivesTheProcess() async throws {
        let replica = MemoryStore()
        let first = try Machine(cluster, replica: replica)
        try first.store.set(1, for: "x")
        #expect(try first.store.compareAndSet("x", expecting: 1, to: 2))
        let second = try Machine(cluster, replica: replica)
        #expect(try second.store.get("x") == 2)
        try await second.exchange()
        try second.expectAgreement(with: cluster)
        #expect(cluster.history.count == 2)
    }

    @Test func fullQueueRefusesWrites() async throws {
        var options = ReplicatedStoreOptions()
        options.maximumPending = 3
        let a = try Machine(cluster, options: options)
        for number in 0..<3 { try a.store.set(.int(Int64(number)), for: "x") }
        expectError(.queueFull) { try a.store.set(3, for: "x") }
        #expect(try a.store.get("x") == 2)
        try await a.exchange()
        try a.store.set(3, for: "x")
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func batchBeyondTheLimitsIsRefused() async throws {
        let a = try Machine(cluster)
        let limit = SimulatedCluster.strictLimits.operations
        var batch = StoreBatch()
        for number in 0..<limit { batch.set(1, for: "key.\(number)") }
        #expect(try a.store.commit(batch))
        batch.expect(nil, at: "absent")
        expectError(.batchTooLarge) { _ = try a.store.commit(batch) }
        expectError(.batchTooLarge) { try a.store.set(.string(String(repeating: "x", count: 1_500_000)), for: "x") }
        expectError(.unsupportedKey) { try a.store.set(1, for: "") }
        var expecting = StoreBatch()
        expecting.expect(nil, at: "")
        expecting.set(1, for: "x")
        expectError(.unsupportedKey) { _ = try a.store.commit(expecting) }
        #expect(a.store.freshness.pending == 1)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.rejected().isEmpty)
    }

    @Test func adjacentWritesAreSentTogether() async throws {
        let a = try Machine(cluster)
        for number in 0..<20 { try a.store.set(.int(Int64(number)), for: StoreKey("key.\(number % 4)")) }
        #expect(try a.store.compareAndSet("key.0", expecting: 16, to: 100))
        for number in 0..<5 { try a.store.set(.int(Int64(number)), for: "last") }
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(cluster.history.map(\.identifiers.count) == [20, 1, 5])
        #expect(cluster.history.map(\.writes.count) == [4, 1, 1])
    }

    @Test func writesWithTheSameExpectationAreSentTogether() async throws {
        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        try a.store.set(1, for: "epoch")
        for machine in [a, b] { try await machine.exchange() }
        func write(_ key: StoreKey, in epoch: StoredValue) throws {
            var batch = StoreBatch()
            batch.expect(epoch, at: "epoch")
            batch.set(epoch, for: key)
            #expect(try a.store.commit(batch))
        }
        for key: StoreKey in ["x", "y", "x"] { try write(key, in: 1) }
        // The next one writes what it expects, and the last ones expect another value.
        #expect(try a.store.compareAndSet("epoch", expecting: 1, to: 2))
        for key: StoreKey in ["x", "z"] { try write(key, in: 2) }
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(cluster.history.map(\.identifiers.count) == [1, 3, 1, 2])
        // All of them are refused together.
        for key: StoreKey in ["x", "y"] { try write(key, in: 2) }
        try b.store.set(3, for: "epoch")
        for machine in [b, a] { try await machine.exchange() }
        #expect(try a.store.rejected().map(\.reason) == [.refused, .refused])
        #expect(try a.store.get("x") == 2 && a.store.get("y") == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func joinedWritesStayWithinTheLimits() async throws {
        let a = try Machine(cluster)
        for number in 0..<500 { try a.store.set(1, for: StoreKey("key.\(number)")) }
        let large = StoredValue.string(String(repeating: "x", count: 700_000))
        for number in 0..<4 { try a.store.set(large, for: StoreKey("large.\(number)")) }
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.rejected().isEmpty)
        #expect(cluster.history.count < 30)
    }

    @Test func reservedKeysStateWhetherTheyReplicate() async throws {
        let replicated = [
            ".encrypted", ".encrypted.session.1", ".defaults.version.x", ".migrated.old", ".view:2:a..encrypted",
        ]
        let local = [
            ".outbox:1:n:state", ".replica.cursor", ".view:2:a..outbox:1:n:lease", ".unknown", ".view:x",
        ]
        for name in replicated { #expect(ReservedRecord.isReplicated(StoreKey(reserved: name)), "\(name)") }
        for name in local { #expect(!ReservedRecord.isReplicated(StoreKey(reserved: name)), "\(name)") }

        let (a, b) = (try Machine(cluster, "a"), try Machine(cluster, "b"))
        let (header, lease) = (StoreKey(reserved: ".encrypted"), StoreKey(reserved: ".outbox:1:n:lease"))
        var batch = StoreBatch()
        batch.set(1, for: header)
        batch.set(2, for: lease)
        batch.set(3, for: "x")
        #expect(try a.store.commit(batch))
        try await a.exchange()
        try await b.exchange()
        #expect(try b.store.get(header) == 1)
        #expect(try b.store.get(lease) == nil)
        #expect(try a.store.get(lease) == 2)
        try b.store.remove(header)
        try await b.exchange()
        cluster.trimHistory()
        try await a.exchange()
        #expect(try a.store.get(header) == nil)
        for machine in [a, b] { try machine.expectAgreement(with: cluster) }
    }
}
