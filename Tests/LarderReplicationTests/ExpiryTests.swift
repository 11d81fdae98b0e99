import Foundation
import LarderCore
import LarderReplication
import LarderStores
import LarderTestTraits
import LarderTesting
import Testing

/// Expiry by the time of the engine, on machines whose clocks differ.
@Suite(.expectsIssues(.rolledBack))
struct ExpiryTests {
    /// The clock of the cluster.
    private let time = ManualTimeSource()
    private let cluster: SimulatedCluster

    init() { cluster = SimulatedCluster(seed: 19, time: time) }

    /// A clock of a machine, which shows another date than that of the cluster.
    private struct SkewedTime: TimeSource {
        let base: ManualTimeSource
        let skew: TimeInterval

        var now: Date { base.now + skew }
        var monotonic: Duration { base.monotonic }
        func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
    }

    private func machine(
        _ name: String,
        skew: TimeInterval,
        replica: any KeyValueStore = MemoryStore()
    ) throws -> Machine {
        var options = ReplicatedStoreOptions()
        options.environment.time = SkewedTime(base: time, skew: skew)
        return try Machine(cluster, name, replica: replica, options: options)
    }

    @Test func expiryFollowsTheTimeOfTheCluster() async throws {
        let (a, b) = (try machine("a", skew: 5_000), try machine("b", skew: -5_000))
        for machine in [a, b] { try await machine.exchange() }
        try a.store.set("s", for: "session", until: time.now + 10)
        try a.store.set(1, for: "kept")
        try await a.exchange()
        try await b.exchange()
        time.advance(by: .seconds(9))
        for machine in [a, b] { #expect(try machine.store.get("session") == "s") }
        time.advance(by: .seconds(1))
        for machine in [a, b] {
            #expect(try machine.store.get("session") == nil)
            #expect(try machine.store.entries() == StoreEntry.entries(["kept": 1]))
            #expect(try machine.store.confirmed.get("session") == nil)
            #expect(try machine.store.confirmed.entries() == StoreEntry.entries(["kept": 1]))
        }
        #expect(try cluster.entries().count == 2)
        #expect(try await b.store.sweep() == .advanced)
        for machine in [a, b] {
            try await machine.exchange()
            try machine.expectAgreement(with: cluster)
            #expect(try await machine.store.sweep() == .idle)
            #expect(try machine.store.entries() == StoreEntry.entries(["kept": 1]))
        }
    }

    @Test func expectationsTreatExpiredValuesAsAbsent() async throws {
        let a = try machine("a", skew: 0)
        try await a.exchange()
        try a.store.set("s", for: "l.session", until: time.now + 10)
        try a.store.set(1, for: "l.kept")
        #expect(try !a.store.compareAndSet("l.session", expecting: nil, to: 2))
        time.advance(by: .seconds(10))
        #expect(try !a.store.compareAndSet("l.session", expecting: "s", to: 2))
        var batch = StoreBatch()
        batch.expect(StoreEntry.entries(["l.kept": 1]), prefix: "l.")
        batch.set(3, for: "l.new")
        #expect(try a.store.commit(batch))
        #expect(try a.store.compareAndSet("l.session", expecting: nil, to: 2))
        try await a.exchange()
        #expect(try a.store.rejected().isEmpty)
        try a.expectAgreement(with: cluster)
        #expect(try a.store.entries() == StoreEntry.entries(["l.kept": 1, "l.new": 3, "l.session": 2]))
        time.advance(by: .seconds(100))
        #expect(try a.store.get("l.session") == 2)
    }

    @Test func renewedEntryIsNotRemoved() async throws {
        let (a, b) = (try machine("a", skew: 0), try machine("b", skew: 0))
        try await a.exchange()
        for key in ["x", "y"] { try a.store.set(1, for: StoreKey(key), until: time.now + 10) }
        try await a.exchange()
        try await b.exchange()
        try b.store.set(1, for: "x", until: time.now + 100)
        try await b.exchange()
        time.advance(by: .seconds(10))
        // This machine does not know yet that one of the entries was renewed.
        #expect(try await a.store.sweep() == .idle)
        try await a.exchange()
        #expect(try a.store.get("x") == 1)
        #expect(try await a.store.sweep() == .advanced)
        try await a.exchange()
        #expect(try cluster.entries() == StoreEntry.entries(["x": 1]))
        try a.expectAgreement(with: cluster)
    }

    @Test func expiryOutlivesTheProcessAndASnapshot() async throws {
        let replica = MemoryStore()
        let a = try machine("a", skew: 0, replica: replica)
        try await a.exchange()
        try a.store.set("s", for: "session", until: time.now + 10)
        try await a.exchange()
        cluster.trimHistory()
        let b = try machine("b", skew: 700)
        try await b.exchange()
        time.advance(by: .seconds(10))
        let restarted = try machine("a", skew: 0, replica: replica)
        #expect(try restarted.store.get("session") == nil)
        #expect(try b.store.get("session") == nil)
        #expect(try b.store.entries() == [])
    }

    @Test func rolledBackWriteRestoresTheExpiry() async throws {
        let (a, b) = (try machine("a", skew: 0), try machine("b", skew: 0))
        try await a.exchange()
        try a.store.set("s", for: "x", until: time.now + 10)
        try await a.exchange()
        try await b.exchange()
        #expect(try a.store.compareAndSet("x", expecting: "s", to: "permanent"))
        try b.store.set("t", for: "x", until: time.now + 20)
        try await b.exchange()
        try await a.exchange()
        #expect(try a.store.rejected().count == 1)
        #expect(try a.store.get("x") == "t")
        #expect(try a.store.verify().problems == [])
        time.advance(by: .seconds(20))
        #expect(try a.store.get("x") == nil)
    }

    @Test func dayOfPausesKeepsTheExpiry() async throws {
        let a = try machine("a", skew: 0)
        try await a.exchange()
        try a.store.set("s", for: "x", until: time.now + 86_400)
        cluster.setReachable("a", false)
        for _ in 0..<23 {
            time.advance(by: .seconds(3_600))
            await #expect(throws: (any Error).self) { try await a.store.pull() }
            #expect(try a.store.get("x") == "s")
        }
        time.advance(by: .seconds(3_600))
        #expect(try a.store.get("x") == nil)
        cluster.setReachable("a", true)
        try await a.exchange()
        #expect(try await a.store.sweep() == .advanced)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
        #expect(try a.store.entries() == [])
    }
}
