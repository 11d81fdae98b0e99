import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

@Suite(.expectsIssues(.degraded, .rolledBack))
struct ReplicatedCommitTests {
    private let cluster = SimulatedCluster(seed: 17)

    /// A machine that replicates in the background.
    private func running(
        _ name: String = "a",
        deadline: Duration = .seconds(600)
    ) throws -> (machine: Machine, running: RunningStore<ReplicatedStore>) {
        var options = ReplicatedStoreOptions()
        options.deadline = deadline
        let machine = try Machine(cluster, name, options: options)
        return (machine, RunningStore(machine.store))
    }

    private func batch(_ value: StoredValue, for key: StoreKey) -> StoreBatch {
        var batch = StoreBatch()
        batch.set(value, for: key)
        return batch
    }

    @Test func replicatedCommitFollowsPendingOnes() async throws {
        let (a, running) = try running()
        cluster.setReachable("a", false)
        for number in 0..<3 { try a.store.set(.int(Int64(number)), for: "x") }
        #expect(try a.store.compareAndSet("y", expecting: nil, to: 1))
        let commit = Task { try await a.store.commit(batch(9, for: "x"), durability: .replicated) }
        cluster.setReachable("a", true)
        #expect(try await commit.value)
        #expect(try a.store.get("x") == 9)
        #expect(cluster.history.map(\.identifiers.count) == [3, 1, 1])
        try a.expectAgreement(with: cluster)
        withExtendedLifetime(running) {}
    }

    @Test func replicatedCommitIsInvisibleBeforeItIsConfirmed() async throws {
        let time = ManualTimeSource()
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        options.environment.interruptsCalls = false
        let a = try Machine(cluster, options: options)
        try await a.exchange()
        let commit = Task { try await a.store.commit(batch(1, for: "x"), durability: .replicated) }
        await time.waitForSleepers()
        #expect(cluster.history.count == 1)
        #expect(try a.store.get("x") == nil)
        _ = try await a.store.pull()
        time.advance(by: .milliseconds(20))
        #expect(try await commit.value)
        #expect(try a.store.get("x") == 1)
        try a.expectAgreement(with: cluster)
    }

    @Test func replicatedCommitWithAnUnmetExpectationReadsWhatRefusedIt() async throws {
        let (a, runningA) = try running("a")
        let (b, runningB) = try running("b")
        try await b.store.set(1, for: "x", durability: .replicated)
        var refused = batch(2, for: "x")
        refused.expect(nil, at: "x")
        #expect(try await !a.store.commit(refused, durability: .replicated))
        #expect(try a.store.get("x") == 1)
        #expect(try a.store.rejected().isEmpty)
        withExtendedLifetime((runningA, runningB)) {}
    }

    @Test func replicatedCommitFailsWithinItsDeadline() async throws {
        let (a, running) = try running(deadline: .milliseconds(50))
        cluster.setReachable("a", false)
        let error = await #expect(throws: StoreError.self) {
            try await a.store.set(1, for: "x", durability: .replicated)
        }
        #expect(error?.code == .notConfirmed)
        #expect(error?.message.contains("Nothing has changed") == true)
        #expect(try a.store.get("x") == nil)
        withExtendedLifetime(running) {}
    }

    @Test func replicatedCommitRefusesExpectationsAboutLocalRecords() async throws {
        let a = try Machine(cluster)
        try await a.exchange()
        var batch = batch(1, for: "x")
        batch.expect(nil, at: StoreKey(reserved: ".outbox:1:n:lease"))
        let error = await #expect(throws: StoreError.self) {
            try await a.store.commit(batch, durability: .replicated)
        }
        #expect(error?.code == .unsupportedKey)
        #expect(cluster.history.isEmpty)
        try a.expectAgreement(with: cluster)
    }

    @Test func canceledReplicatedCommitEnds() async throws {
        let (a, running) = try running()
        cluster.setReachable("a", false)
        let commit = Task { try await a.store.set(1, for: "x", durability: .replicated) }
        commit.cancel()
        await #expect(throws: (any Error).self) { try await commit.value }
        #expect(try a.store.get("x") == nil)
        withExtendedLifetime(running) {}
    }

    @Test func outcomeIsDecisive() async throws {
        let time = ManualTimeSource()
        var options = ReplicatedStoreOptions()
        options.environment.time = time
        options.environment.interruptsCalls = false
        options.deadline = .milliseconds(100)
        let a = try Machine(cluster, options: options)
        try await a.exchange()
        var faults = SimulatedCluster.Faults()
        faults.late = 1
        a.engine.setFaults(faults)
        let commit = Task { try await a.store.set(1, for: "x", durability: .replicated) }
        // The commit is under way until its outcome is asked for, in the last quarter of the time.
        for _ in 0..<4 {
            await time.waitForSleepers()
            time.advance(by: .milliseconds(20))
        }
        let error = await #expect(throws: StoreError.self) { try await commit.value }
        #expect(error?.message.contains("Nothing has changed") == true)
        cluster.deliverLateCommits()
        #expect(cluster.history.isEmpty)
        #expect(cluster.values.isEmpty)
    }

    @Test func lostAnswerIsFoundOut() async throws {
        let (a, running) = try running()
        var faults = SimulatedCluster.Faults()
        faults.lostAnswer = 0.5
        a.engine.setFaults(faults)
        for number in 0..<20 { try await a.store.set(number, for: "x", durability: .replicated) }
        #expect(cluster.history.count == 20)
        #expect(try a.store.get("x") == 19)
        withExtendedLifetime(running) {}
    }

    @Test func clusterTransactionsOfSeveralMachinesAreAllCounted() async throws {
        let machines = try ["a", "b", "c"].map { try running($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (machine, _) in machines {
                group.addTask {
                    for _ in 0..<20 {
                        try await machine.store.clusterTransaction { transaction in
                            let number = try transaction.value(Int.self, for: "n") ?? 0
                            try transaction.set(number + 1, for: "n")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try cluster.entries() == StoreEntry.entries(["n": 60]))
        for (machine, _) in machines {
            try await waitUntil { try machine.store.get("n") == 60 }
            try machine.expectAgreement(with: cluster)
        }
    }

    @Test func clusterTransactionWaitsForPendingCommits() async throws {
        let (a, running) = try running()
        try a.store.set(5, for: "n")
        let number = try await a.store.clusterTransaction { transaction in
            let number = try transaction.value(Int.self, for: "n") ?? 0
            try transaction.set(number + 1, for: "n")
            return number
        }
        #expect(number == 5)
        #expect(try a.store.get("n") == 6)
        withExtendedLifetime(running) {}
    }

    @Test func blockingFormWaitsToo() async throws {
        let (a, running) = try running()
        #expect(try Self.commitBlocking(batch(1, for: "x"), to: a.store))
        #expect(cluster.history.count == 1)
        withExtendedLifetime(running) {}
    }

    private static func commitBlocking(_ batch: StoreBatch, to store: ReplicatedStore) throws -> Bool {
        try store.commit(batch, durability: .replicated)
    }

    @Test func storesThatReplicateNothingRefuse() async throws {
        let folder = try TemporaryDirectory()
        let stores: [any KeyValueStore] = [MemoryStore(), try DeviceStore(path: folder.path("s.larder"))]
        for store in stores {
            let error = await #expect(throws: StoreError.self) {
                try await store.set(1, for: "x", durability: .replicated)
            }
            #expect(error?.code == .notReplicated)
            #expect(try store.verify().problems == [])
        }
    }
}
