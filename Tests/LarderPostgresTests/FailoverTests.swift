#if Postgres
import Foundation
import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// Servers that are killed or frozen, and standbys that take over.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack))
struct FailoverTests {
    private var hasty: PostgresOptions {
        var options = PostgresOptions()
        options.timeout = .seconds(3)
        options.pollingInterval = .milliseconds(500)
        return options
    }

    /// The number of increments of each machine, which `LARDER_INCREMENTS` in the environment sets; see `Scripts/torture.sh`.
    private static let increments =
        ProcessInfo.processInfo.environment["LARDER_INCREMENTS"].flatMap { Int($0) } ?? 333

    @Test func incrementsAreCountedExactlyThroughAFailover() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        let increments = Self.increments
        // With a shorter timeout, three machines on a busy processor mostly give up and try again.
        let options = hasty
        let machines = try (0..<3).map { _ in try PostgresMachine(pair.engine(options), deadline: .seconds(15)) }
        let confirmed = LockedCount()
        let faults = Task {
            for round in 0...8 {
                if round > 0, round < 8 {
                    try await pair.primary.terminateConnections(of: "larder")
                }
                if round == 8 { try await pair.failOver() }
                let next = (round + 1) * increments / 6
                try await waitUntil(within: .seconds(300 + increments)) { confirmed.count >= next }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, machine) in machines.enumerated() {
                group.addTask {
                    for increment in 0..<increments {
                        try await Self.increment(machine.store, "\(number).\(increment)")
                        confirmed.increment()
                    }
                }
            }
            try await group.waitForAll()
        }
        faults.cancel()
        do { try await faults.value } catch is CancellationError {}
        #expect(try await pair.standby.sql("SELECT pg_is_in_recovery()") == [["f"]])
        let engine = try pair.engine()
        // An attempt that finds its number counted, because the answer to an earlier one was lost, commits no write.
        #expect(try await engine.here().position.revision >= UInt64(3 * increments))
        for machine in machines {
            try await machine.follow(engine)
            #expect(try machine.store.value(Int.self, for: "count") == 3 * increments)
            #expect(try machine.store.entries(prefix: "done.").count == 3 * increments)
            #expect(try machine.store.rejected().isEmpty)
            #expect(try machine.store.verify().problems == [])
        }
    }

    /// Increments a number once, although an attempt may have succeeded without an answer.
    private static func increment(_ store: ReplicatedStore, _ name: String) async throws {
        var patience = Patience(.seconds(120))
        while true {
            do {
                return try await store.clusterTransaction(attempts: 10_000) { transaction in
                    let key = StoreKey("done.\(name)")
                    guard try transaction.get(key) == nil else { return }
                    let count = try transaction.value(Int.self, for: "count") ?? 0
                    try transaction.set(count + 1, for: "count")
                    try transaction.set(true, for: key)
                }
            } catch let error as StoreError where error.code == .notConfirmed && !patience.isOver() {}
        }
    }

    @Test(arguments: [false, true]) func failoverThatLosesCommitsIsFollowedByASnapshot(isFrozen: Bool) async throws {
        let pair = try await ServerPair(isSynchronous: false)
        let (a, b) = (try PostgresMachine(pair.engine(hasty)), try PostgresMachine(pair.engine(hasty)))
        try await a.store.set(1, for: "kept", durability: .replicated)
        try await pair.cutStandbyOff()
        for number in 0..<3 { try await a.store.set(number, for: "lost", durability: .replicated) }
        try await waitUntil { try b.store.get("lost") == 2 }
        try await pair.failOver(isFrozen: isFrozen)
        // New commits get the revisions of the lost ones.
        for number in 0..<5 { try await b.store.set(number, for: "new", durability: .replicated) }
        let engine = try pair.engine()
        for machine in [a, b] {
            try await machine.follow(engine)
            #expect(try machine.store.entries() == [.init(key: "kept", value: 1), .init(key: "new", value: 4)])
            #expect(try machine.store.verify().problems == [])
        }
        #expect(try await engine.here().position.revision == 6)
    }

    @Test func readsGoOnWhileTheServerIsFrozen() async throws {
        let server = try await PostgresServer()
        let engine = try await server.connectedEngine("flags", hasty)
        let machine = try PostgresMachine(engine, deadline: .milliseconds(300))
        try machine.store.set(1, for: "x")
        try await machine.follow(engine)
        try server.freeze()
        let error = await #expect(throws: StoreError.self) {
            try await machine.store.set(2, for: "x", durability: .replicated)
        }
        #expect(error?.code == .notConfirmed)
        #expect(try machine.store.get("x") == 1)
        try machine.store.set(3, for: "y")
        #expect(try machine.store.get("y") == 3)
        try await waitUntil { machine.store.freshness.failure != nil }
        try server.thaw()
        try await machine.follow(engine)
        #expect(try machine.store.get("y") == 3)
        #expect(try await engine.allEntries().contains { $0.key == Array("y".utf8) })
        #expect(try machine.store.verify().problems == [])
    }

    @Test func commitWithoutItsStandbyIsUnknownUntilTheStandbyReturns() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        let engine = try await pair.primary.connectedEngine("flags", hasty)
        let start = try await engine.here()
        #expect(try await engine.status().isSynchronous)
        try pair.standby.freeze()
        let hung = commit(["a": "1"], drawn: start.instant)
        #expect(try await engine.commit(hung).isUnknown)
        // It holds the lock of the store, and no reader sees it. Trimming does not wait.
        let error = await #expect(throws: PostgresError.self) { try await engine.commit(commit(["b": "1"])) }
        #expect(error?.code == .busy)
        await #expect(throws: PostgresError.self) { try await engine.outcome(of: hung.identifiers[0], drawn: nil) }
        #expect(try await engine.allEntries().isEmpty)
        let limit = ReplicationPageLimit(commits: 10, bytes: .max)
        guard case .changes(let changes, _) = try await engine.changes(after: start.position, limit: limit, replica: 1)
        else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.isEmpty)
        try pair.standby.thaw()
        let position = try await waitUntilAsync("the commit") { try? await engine.commit(hung).committed }
        #expect(position.revision == 1)
        #expect(try await engine.here().position == position)
    }

    @Test func restartWithoutTheStandbyMakesAHungCommitVisibleAndNotSure() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        let engine = try await pair.primary.connectedEngine("flags", hasty)
        let start = try await engine.here()
        try pair.standby.freeze()
        let hung = commit(["a": "1"], drawn: start.instant)
        #expect(try await engine.commit(hung).isUnknown)
        #expect(try await engine.allEntries().isEmpty)
        try pair.primary.kill()
        try await waitUntilAsync("the restart") { () async throws -> Bool? in
            // The processes that were killed may still hold its memory.
            do { try await pair.primary.start() } catch is PostgresPrograms.Failure { return nil }
            return true
        }
        #expect(try await waitUntilAsync("the server") { try? await engine.allEntries() }.count == 1)
        // A failover may still lose it.
        #expect(try await engine.commit(hung).isUnknown)
        try pair.standby.thaw()
        #expect(try await waitUntilAsync("the verdict") { try? await engine.commit(hung).committed }.revision == 1)
        #expect(try await engine.here().position.revision == 1)
    }

    /// A commit that waits for a standby stops neither other stores nor other programs that use NOTIFY.
    @Test func hungCommitStopsNoOtherStore() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        let hung = try await pair.primary.connectedEngine("hung", hasty)
        // The other store does not wait for the standby.
        let local = "&options=-c%20synchronous_commit%3Dlocal"
        var patient = PostgresOptions()
        patient.pollingInterval = .seconds(3_600)
        let other = try await pair.primary.connectedEngine("other", patient, local)
        let watcher = try await pair.primary.connectedEngine("other", patient, local)
        let start = try await other.here().position
        try pair.standby.freeze()
        #expect(try await hung.commit(commit(["a": "1"])).isUnknown)
        async let notified: Void = watcher.waitForChanges(after: start)
        #expect(try await other.commit(commit(["a": "1"])).committed?.revision == 1)
        try await notified
        try await pair.primary.sql("SET synchronous_commit = local; NOTIFY something")
        try pair.standby.thaw()
        try await waitUntilAsync("the hung commit") {
            try await hung.here().position.revision == 1 ? true : nil
        }
    }

    @Test func commitWhoseWaitWasCanceledIsUnknownUntilTheStandbyHasIt() async throws {
        let pair = try await ServerPair(isSynchronous: true)
        // This one waits until the test has canceled its wait.
        let engine = try await pair.primary.connectedEngine("flags")
        let other = try await pair.primary.connectedEngine("flags", hasty)
        let start = try await engine.here()
        try pair.standby.freeze()
        let visible = commit(["a": "1"], drawn: start.instant)
        async let answer = engine.commit(visible)
        try await waitUntilAsync("the wait for the standby") {
            let canceled = try await pair.primary.sql(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'larder'"
            )
            return canceled.isEmpty ? nil : true
        }
        guard case .unknown(let error) = try await answer else {
            Issue.record("The commit may vanish in a failover.")
            return
        }
        #expect((error as? PostgresError)?.code == .notReplicated)
        // It is visible, and each question about it waits for the standby.
        #expect(try await other.here().position.revision == 1)
        #expect(try await other.commit(visible).isUnknown)
        try pair.standby.thaw()
        #expect(try await waitUntilAsync("the verdict") { try? await other.commit(visible).committed }.revision == 1)
    }
}
#endif
