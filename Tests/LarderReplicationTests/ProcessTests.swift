import LarderCore
import LarderDeviceStore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Several instances, as in several processes, on one replica in a file.
@Suite(.expectsIssues(.degraded, .rolledBack))
struct ProcessTests {
    private let cluster = SimulatedCluster(seed: 18)
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func open() throws -> ReplicatedStore {
        var options = DeviceStoreOptions()
        // Each instance behaves as if it were in a process of its own.
        options.environment.isShared = false
        return try ReplicatedStore(
            replica: DeviceStore(path: folder.path("replica.larder"), options: options),
            engine: cluster.engine()
        )
    }

    @Test func oneInstanceReplicatesAndAnotherTakesOver() async throws {
        let (first, second) = (try open(), try open())
        let firstRun = Task { await first.run() }
        try await waitUntil { first.freshness.isReplicating }
        let secondRun = Task { await second.run() }
        try second.set(1, for: "x")
        try await waitUntil { cluster.history.count == 1 && second.freshness.pending == 0 }
        #expect(!second.freshness.isReplicating)
        try await second.set(2, for: "x", durability: .replicated)
        #expect(try first.get("x") == 2)
        firstRun.cancel()
        await firstRun.value
        try await waitUntil { second.freshness.isReplicating }
        try first.set(3, for: "x")
        try await waitUntil { cluster.history.count == 3 && first.freshness.pending == 0 }
        secondRun.cancel()
        await secondRun.value
        #expect(try first.verify().problems == [])
        #expect(try cluster.entries() == first.entries())
    }

    @Test func instancesNumberTheirCommitsWithoutGaps() async throws {
        let stores = [try open(), try open()]
        let run = Task { await stores[0].run() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in stores {
                group.addTask {
                    for _ in 0..<100 {
                        try store.transaction { transaction in
                            let number = try transaction.value(Int.self, for: "n") ?? 0
                            try transaction.set(number + 1, for: "n")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try stores[1].get("n") == 200)
        try await waitUntil { stores[1].freshness.pending == 0 }
        run.cancel()
        await run.value
        #expect(cluster.history.count == 200)
        #expect(try stores[0].rejected().isEmpty)
        #expect(try stores[1].verify().problems == [])
    }
}
