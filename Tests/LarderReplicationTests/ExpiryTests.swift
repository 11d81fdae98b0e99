import Foundation
import LarderCore
import LarderFiles
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Expiry by the time of the engine, on machines whose clocks differ.
@Suite(.expectsIssues(.degraded, .rolledBack))
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

    @Test func durationsCountByTheTimeOfTheCluster() async throws {
        let (a, b) = (try machine("a", skew: 5_000), try machine("b", skew: -5_000))
        for machine in [a, b] { try await machine.exchange() }
        try a.store.set("s", for: "queued.a", expiringAfter: .seconds(10))
        try b.store.set("s", for: "queued.b", expiringAfter: .seconds(10))
        for machine in [a, b, a, b] { try await machine.exchange() }
        time.advance(by: .milliseconds(100))
        for (machine, key) in [(a, "sent.a"), (b, "sent.b")] {
            let commit = Task {
                try await machine.store.setReplicated("s", for: StoreKey(key), expiringAfter: .seconds(10))
            }
            try await waitUntil { cluster.values[Array(key.utf8)] != nil }
            try await machine.exchange()
            time.advance(by: .milliseconds(20))
            try await commit.value
        }
        for machine in [a, b] { try await machine.exchange() }
        time.advance(by: .milliseconds(9_800))
        for machine in [a, b] { #expect(try machine.store.entries().count == 4) }
        time.advance(by: .milliseconds(70))
        for machine in [a, b] { #expect(try machine.store.entries().map(\.key) == ["sent.a", "sent.b"]) }
        time.advance(by: .milliseconds(200))
        for machine in [a, b] {
            #expect(try machine.store.entries() == [])
            #expect(try machine.store.verify().problems == [])
        }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max / 1000)])
    func durationsOfAnyLengthAreStored(duration: Duration) async throws {
        let a = try machine("a", skew: 0)
        try await a.exchange()
        try a.store.set(1, for: "x", expiringAfter: duration)
        #expect(try a.store.get("x") == (duration > .zero ? 1 : nil))
        try await a.exchange()
        #expect(try a.store.verify().problems == [])
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

    /// A replica that calls a test before its next blocking commit.
    private final class PausingStore: ForwardingStore {
        let base: any KeyValueStore
        private let pause = Lock<(@Sendable () -> Void)?>(nil)

        init(_ base: any KeyValueStore) { self.base = base }

        func pauseOnce(_ body: @escaping @Sendable () -> Void) { pause.withLock { $0 = body } }

        func commit(_ batch: StoreBatch) throws -> Bool {
            let body = pause.withLock { pause in
                defer { pause = nil }
                return pause
            }
            body?()
            return try base.commit(batch)
        }
    }

    @Test func boundOfExpiriesIsNotRaisedBeyondAConcurrentWrite() async throws {
        let replica = PausingStore(MemoryStore())
        let a = try machine("a", skew: 0, replica: replica)
        try a.store.set(1, for: "x", until: time.now + 5)
        try await a.exchange()
        try a.store.remove("x")
        try await a.exchange()
        let (store, now) = (a.store, time.now)
        replica.pauseOnce {
            let done = ThreadSemaphore()
            // Finds no expiries, and notes that before the write is made.
            Task.detached {
                _ = try? await store.sweep()
                done.signal()
            }
            done.wait()
        }
        try await withBlockingWork { try store.set(2, for: "y", until: now + 10) }
        #expect(try store.get("y") == 2)
        time.advance(by: .seconds(10))
        #expect(try store.get("y") == nil)
        try await a.exchange()
        #expect(try store.verify().problems == [])
    }

    @Test func replicatingInstanceLearnsOfExpiriesOfOthers() async throws {
        let replica = MemoryStore()
        let local = SimulatedCluster(seed: 36)
        let first = try Machine(local, "first", replica: replica)
        let second = try Machine(local, "second", replica: replica)
        try await first.exchange()
        let running = RunningStore(first.store)
        try await waitUntil { first.store.freshness.isReplicating }
        // The commit can't be sent, so the instance has nothing to apply.
        local.setReachable("first", false)
        try second.store.set(1, for: "x", until: Date(timeIntervalSinceNow: -1))
        try await waitUntil { try first.store.get("x") == nil }
        #expect(try first.store.verify().problems == [])
        withExtendedLifetime(running) {}
    }

    @Test func timeOfTheClusterNeverGoesBack() async throws {
        let a = try machine("a", skew: 0)
        try a.store.set(1, for: "x")
        try await a.exchange()
        let before = cluster.instant
        cluster.skewClock(by: -100)
        #expect(cluster.instant >= before)
        try a.store.set(2, for: "x", until: time.now - 1)
        try await a.exchange()
        #expect(try a.store.get("x") == nil)
    }

    @Test func lostAnswerToARemovalIsAFailure() async throws {
        let a = try machine("a", skew: 0)
        try a.store.set(1, for: "x", until: time.now + 1)
        try await a.exchange()
        time.advance(by: .seconds(2))
        var faults = SimulatedCluster.Faults()
        faults.lost = 1
        a.engine.setFaults(faults)
        await #expect(throws: UnknownOutcome.self) { try await a.store.sweep() }
        a.engine.setFaults(SimulatedCluster.Faults())
        #expect(try await a.store.sweep() == .advanced)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    /// A replica that counts how often all entries are listed.
    private final class ListedStore: ForwardingStore {
        let base: any KeyValueStore = MemoryStore()
        let listings = Lock(0)
        private let whileListing: @Sendable () -> Void

        init(whileListing: @escaping @Sendable () -> Void = {}) { self.whileListing = whileListing }

        func entries(prefix: String) throws -> [StoreEntry] {
            if prefix.isEmpty {
                listings.withLock { $0 += 1 }
                whileListing()
            }
            return try base.entries(prefix: prefix)
        }
    }

    @Test func manyExpiredEntriesAreFoundByOneListing() async throws {
        let replica = ListedStore()
        let a = try machine("a", skew: 0, replica: replica)
        for number in 0..<1_200 { try a.store.set(1, for: StoreKey("session.\(number)"), until: time.now + 10) }
        try a.store.set(1, for: "kept")
        try await a.exchange()
        time.advance(by: .seconds(10))
        replica.listings.withLock { $0 = 0 }
        for _ in 0..<3 {
            #expect(try await a.store.sweep() == .advanced)
            try await a.exchange()
        }
        #expect(replica.listings.withLock(\.self) == 1)
        #expect(try cluster.entries() == StoreEntry.entries(["kept": 1]))
        try a.expectAgreement(with: cluster)
        #expect(try await a.store.sweep() == .idle)
    }

    @Test func slowListingIsNotRepeatedAtOnce() async throws {
        let replica = ListedStore { [time] in time.advance(by: .seconds(1)) }
        let a = try machine("a", skew: 0, replica: replica)
        for (key, seconds) in [("x", 10.0), ("y", 15.0)] {
            try a.store.set(1, for: StoreKey(key), until: time.now + seconds)
        }
        try await a.exchange()
        time.advance(by: .seconds(10))
        #expect(try await a.store.sweep() == .advanced)
        try await a.exchange()
        time.advance(by: .seconds(5))
        replica.listings.withLock { $0 = 0 }
        #expect(try await a.store.sweep() == .idle)
        #expect(replica.listings.withLock(\.self) == 0)
        time.advance(by: .seconds(5))
        #expect(try await a.store.sweep() == .advanced)
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func removalsRespectLimitsOfEngine() async throws {
        let limits = StoreLimits(operations: 9, bytes: 900)
        let cluster = SimulatedCluster(seed: 20, limits: limits, time: time)
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        let a = try Machine(cluster, "a", options: options)
        // Of the long keys, only two fit into a commit.
        let keys = (0..<8).map { "\($0)" } + (0..<4).map { String(repeating: "k", count: 140) + "\($0)" }
        for key in keys { try a.store.set(1, for: StoreKey(key), until: time.now + 10) }
        try await a.exchange()
        time.advance(by: .seconds(10))
        for rest in [8, 4, 2, 0] {
            #expect(try await a.store.sweep() == .advanced)
            #expect(try cluster.entries().count == rest)
        }
        try await a.exchange()
        try a.expectAgreement(with: cluster)
    }

    @Test func entryThatCannotBeRemovedDoesNotStopOthers() async throws {
        let (a, b) = (try machine("a", skew: 0), try machine("b", skew: 0))
        for key in ["x", "y", "z"] { try a.store.set(1, for: StoreKey(key), until: time.now + 10) }
        try await a.exchange()
        try await b.exchange()
        try b.store.set(1, for: "x", until: time.now + 100)
        try await b.exchange()
        time.advance(by: .seconds(10))
        // This machine never learns that an entry was renewed.
        for _ in 0..<6 { _ = try await a.store.sweep() }
        #expect(try cluster.entries() == StoreEntry.entries(["x": 1]))
        try await a.exchange()
        try a.expectAgreement(with: cluster)
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
