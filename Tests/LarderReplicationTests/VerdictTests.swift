import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Testing

/// Lost answers, repeated commits, copies of a replica, and forgotten identifiers.
@Suite(.expectsIssues(.rolledBack))
struct VerdictTests {
    private let time = ManualTimeSource()
    private let cluster: SimulatedCluster

    init() { cluster = SimulatedCluster(seed: 14, time: time) }

    private func machine(_ name: String = "a", replica: any KeyValueStore = MemoryStore()) throws -> Machine {
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        return try Machine(cluster, name, replica: replica, options: options)
    }

    /// Returns an independent copy of a replica, with its reserved records.
    private func copy(_ replica: MemoryStore, pending: Range<Int64>, keys: [String]) throws -> MemoryStore {
        let copy = MemoryStore()
        var batch = StoreBatch()
        for entry in replica.entries(prefix: "") { batch.set(entry.value, for: StoreKey(entry.key)) }
        let records =
            ["", ".cursor", ".next", ".first", ".turn", ".visible"] + pending.map { ".pending:\($0)" }
            + keys.map { ".confirmed:\($0)" }
        for record in records {
            let key = StoreKey(reserved: ".replica" + record)
            batch.write(try replica.get(key), for: key)
        }
        #expect(try copy.commit(batch))
        return copy
    }

    @Test func repeatedCommitTakesEffectOnce() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        try await a.exchange()
        var faults = SimulatedCluster.Faults()
        faults.lostAnswer = 1
        a.engine.setFaults(faults)
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 1))
        await #expect(throws: (any Error).self) { try await a.store.push() }
        a.engine.setFaults(SimulatedCluster.Faults())
        try await b.exchange()
        try b.store.set(2, for: "x")
        try await b.exchange()
        #expect(try await a.store.push() == .advanced)
        try await a.exchange()
        #expect(try a.store.get("x") == 2)
        #expect(try a.store.rejected().isEmpty)
        #expect(cluster.history.count == 2)
        try a.expectAgreement(with: cluster)
    }

    /// The engine may forget the verdict about a joined commit by its earliest time.
    @Test func commitsOfDifferentHoursAreNotJoined() async throws {
        let a = try machine()
        try await a.exchange()
        try a.store.set(1, for: "x")
        try a.store.set(2, for: "y")
        time.advance(by: .seconds(3_600))
        _ = try await a.store.pull()
        try a.store.set(3, for: "z")
        try await a.exchange()
        #expect(cluster.history.map(\.identifiers.count) == [2, 1])
        try a.expectAgreement(with: cluster)
    }

    @Test func lateCommitIsNotMadeAfterItsRefusal() async throws {
        let (a, b) = (try machine("a"), try machine("b"))
        try b.store.set(1, for: "x")
        try await b.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 2))
        _ = try await a.store.pull()
        var faults = SimulatedCluster.Faults()
        faults.doubled = 1
        a.engine.setFaults(faults)
        #expect(try await a.store.push() == .advanced)
        #expect(try a.store.rejected().count == 1)
        try b.store.remove("x")
        try await b.exchange()
        cluster.deliverLateCommits()
        try await a.exchange()
        #expect(try a.store.get("x") == nil)
        try a.expectAgreement(with: cluster)
    }

    @Test func copiedReplicaSendsEachCommitOnce() async throws {
        let original = MemoryStore()
        let a = try machine("a", replica: original)
        try await a.exchange()
        #expect(try a.store.compareAndSet("x", expecting: nil, to: 1))
        let b = try machine("b", replica: copy(original, pending: 0..<1, keys: ["x"]))
        // Both have the same commit pending, and make the next one with the same number.
        #expect(try a.store.compareAndSet("from a", expecting: nil, to: 1))
        #expect(try b.store.compareAndSet("from b", expecting: nil, to: 1))
        try await a.exchange()
        try await b.exchange()
        try await a.exchange()
        for machine in [a, b] {
            #expect(try machine.store.rejected().isEmpty)
            try machine.expectAgreement(with: cluster)
        }
        #expect(try cluster.entries() == StoreEntry.entries(["from a": 1, "from b": 1, "x": 1]))
        #expect(cluster.history.count == 3)
    }

    @Test func copiesMayJoinCommitsDifferently() async throws {
        let original = MemoryStore()
        let a = try machine("a", replica: original)
        try await a.exchange()
        for number in 0..<3 { try a.store.set(.int(Int64(number)), for: "x") }
        let b = try machine("b", replica: copy(original, pending: 0..<3, keys: ["x"]))
        try a.store.set(10, for: "a")
        try b.store.set(10, for: "b")
        try await a.sendAll()
        try await b.sendAll()
        try await a.exchange()
        try await b.exchange()
        try await a.exchange()
        for machine in [a, b] { try machine.expectAgreement(with: cluster) }
        #expect(try cluster.entries() == StoreEntry.entries(["a": 10, "b": 10, "x": 2]))
        #expect(cluster.history.map(\.identifiers.count) == [4, 1])
    }

    @Test func forgottenCommitIsRejectedAsUnknown() async throws {
        let a = try machine()
        try a.store.set(1, for: "x")
        try await a.exchange()
        var faults = SimulatedCluster.Faults()
        faults.lost = 1
        a.engine.setFaults(faults)
        try a.store.set(2, for: "x")
        await #expect(throws: (any Error).self) { try await a.store.push() }
        a.engine.setFaults(SimulatedCluster.Faults())
        cluster.forgetVerdicts()
        #expect(try await a.store.push() == .advanced)
        #expect(try a.store.rejected().map(\.reason) == [.unknown])
        #expect(try a.store.get("x") == 1)
        try await a.exchange()
        #expect(cluster.history.count == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func commitsAfterTheForgottenOnesAreSent() async throws {
        let a = try machine()
        try a.store.set(1, for: "x")
        try await a.exchange()
        cluster.forgetVerdicts()
        try a.store.set(2, for: "x")
        time.advance(by: .seconds(1))
        _ = try await a.store.pull()
        try a.store.set(3, for: "x")
        try await a.exchange()
        #expect(try a.store.rejected().map(\.writes) == [[.init(key: "x", value: 2)]])
        #expect(try a.store.get("x") == 3)
        try a.expectAgreement(with: cluster)
    }

    @Test func writeOfAProcessThatNeverReplicatesIsNotForgotten() async throws {
        let disk = MemoryStore()
        let (a, b) = (try machine("a", replica: disk), try machine("b"))
        try b.store.set(1, for: "y")
        try await b.exchange()
        try await a.exchange()
        let writer = try machine("w", replica: disk)
        try writer.store.set(1, for: "x")
        try await a.exchange()
        cluster.forgetVerdicts()
        time.advance(by: .seconds(120))
        try b.store.set(2, for: "y")
        try await b.exchange()
        try await a.exchange()
        try writer.store.set(2, for: "x")
        try await a.exchange()
        #expect(try a.store.rejected().isEmpty)
        #expect(try a.store.get("x") == 2)
        try a.expectAgreement(with: cluster)
    }

    @Test func copyOfACommitBeforeTheFirstContactIsNotSentAfterItWasForgotten() async throws {
        let original = MemoryStore()
        let a = try machine("a", replica: original)
        try a.store.set(1, for: "x")
        let b = try machine("b", replica: copy(original, pending: 0..<1, keys: ["x"]))
        time.advance(by: .seconds(10))
        try await a.exchange()
        try a.store.set(2, for: "x")
        try await a.exchange()
        cluster.forgetVerdicts()
        time.advance(by: .seconds(10))
        try await b.exchange()
        #expect(try b.store.rejected().map(\.reason) == [.unknown])
        #expect(try cluster.entries() == StoreEntry.entries(["x": 2]))
        try b.expectAgreement(with: cluster)
    }

    @Test func commitsBeforeTheFirstContactAreSent() async throws {
        let a = try machine("a")
        try a.store.set(1, for: "x")
        try await a.exchange()
        cluster.forgetVerdicts()
        time.advance(by: .seconds(1))
        let b = try machine("b")
        try b.store.set(2, for: "y")
        try await b.exchange()
        #expect(try b.store.rejected().isEmpty)
        try b.expectAgreement(with: cluster)
    }
}
