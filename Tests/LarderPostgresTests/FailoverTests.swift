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
        try await pair.primary.restart()
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
