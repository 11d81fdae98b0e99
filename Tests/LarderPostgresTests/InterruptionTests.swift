#if Postgres
import Foundation
import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

@testable import LarderPostgres

/// Connections that end, and calls that are canceled, at each step.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack))
struct InterruptionTests {
    private let limit = ReplicationPageLimit(commits: 100, bytes: .max)

    @Test func idleConnectionsThatWereTerminatedAreReplaced() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let start = try await engine.here().position
        for number in 1...3 {
            // An idle connection is checked before a commit is sent, so that the commit is not in doubt.
            #expect(try await engine.commit(commit(["n": "\(number)"])).committed != nil)
            _ = try await engine.changes(after: start, limit: limit, replica: 1)
            let sessions = try await server.sql(
                "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'"
            )
            // A session closes its socket later than it leaves the list of sessions.
            try await waitUntil("the end of the sessions") {
                sessions.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0[0] ?? "")") }
            }
        }
        guard case .changes(let changes, _) = try await engine.changes(after: start, limit: limit, replica: 1) else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.count == 3)
    }

    /// Holds the lock of a store, as another commit that does not end.
    private func holdLock(of name: String, _ server: PostgresServer) async throws -> Task<Void, any Error> {
        let task = Task {
            _ = try await server.sql(
                "BEGIN; SELECT 1 FROM larder.store WHERE name = '\(name)' FOR UPDATE; SELECT pg_sleep(600)"
            )
        }
        try await waitUntilAsync("the lock") {
            let found = try await server.sql(
                "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%larder.store WHERE name = ''\(name)''%' AND wait_event = 'PgSleep'"
            )
            return found.isEmpty ? nil : true
        }
        return task
    }

    private func releaseLock(of name: String, _ server: PostgresServer, _ task: Task<Void, any Error>) async throws {
        try await server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%larder.store WHERE name = ''\(name)''%' AND wait_event = 'PgSleep'"
        )
        _ = await task.result
    }

    private func waitForLockWaiter(of name: String, _ server: PostgresServer) async throws {
        try await waitUntilAsync("the commit that waits") {
            let found = try await server.sql(
                "SELECT 1 FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event_type = 'Lock'"
            )
            return found.isEmpty ? nil : true
        }
    }

    @Test func commitWhoseConnectionEndsIsUnknownAndIsFoundOut() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let sent = commit(["a": "1"], drawn: try await engine.here().instant)
        let lock = try await holdLock(of: name, server)
        async let answer = engine.commit(sent)
        try await waitForLockWaiter(of: name, server)
        try await server.terminateConnections(of: name)
        #expect(try await answer.isUnknown)
        try await releaseLock(of: name, server, lock)
        guard case .refused(.planted, _) = try await engine.outcome(of: sent.identifiers[0], drawn: sent.drawn) else {
            Issue.record("The commit should be refused for good.")
            return
        }
        guard case .refused(.planted, _) = try await engine.commit(sent) else {
            Issue.record("The commit should stay refused.")
            return
        }
        #expect(try await engine.allEntries().isEmpty)
    }

    @Test func canceledCallsEndAtOnceAndChangeNothingUnlessTheySaySo() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        _ = try await engine.here()
        let lock = try await holdLock(of: name, server)
        let sent = Task { try await engine.commit(commit(["sent": "1"])) }
        try await waitForLockWaiter(of: name, server)
        let queued = Task { try await engine.commit(commit(["queued": "1"])) }
        queued.cancel()
        await #expect(throws: CancellationError.self) { try await queued.value }
        sent.cancel()
        #expect(try await sent.value.isUnknown)
        try await releaseLock(of: name, server, lock)
        // It was under way, and takes effect before the next one on the same connection.
        #expect(try await engine.commit(commit(["next": "1"])).committed != nil)
        #expect(try await engine.allEntries().map { String(decoding: $0.key, as: UTF8.self) } == ["next", "sent"])
    }

    @Test func commitBehindAHungOneFailsAndChangesNothing() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        var options = PostgresOptions()
        options.timeout = .milliseconds(400)
        let engine = try server.engine(name, options)
        _ = try await engine.here()
        let lock = try await holdLock(of: name, server)
        let error = await #expect(throws: PostgresError.self) { try await engine.commit(commit(["a": "1"])) }
        #expect(error?.code == .busy)
        let limit = limit
        let start = try await engine.here().position
        _ = try await engine.changes(after: start, limit: limit, replica: 1)
        try await releaseLock(of: name, server, lock)
        #expect(try await engine.allEntries().isEmpty)
    }

    @Test func waitingEndsByNotificationTimeOrCancellation() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        var patient = PostgresOptions()
        patient.pollingInterval = .seconds(3_600)
        let (engine, other) = (try server.engine(name, patient), try server.engine(name))
        let start = try await engine.here().position
        let waiting = Task { try await engine.waitForChanges(after: start) }
        let made = try #require(try await other.commit(commit(["a": "1"])).committed)
        try await waiting.value
        // A commit that was announced before the call ends it too.
        try await engine.waitForChanges(after: start)
        let canceled = Task { try await engine.waitForChanges(after: made) }
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        let lost = Task { try await engine.waitForChanges(after: made) }
        // The listener may just be connecting, and a connection from before may still be there.
        let hasEnded = Mutex(false)
        let watch = Task {
            let result = await lost.result
            hasEnded.withLock { $0 = true }
            return result
        }
        try await waitUntilAsync("the end of the call") {
            try await server.terminateConnections(of: name)
            return hasEnded.withLock { $0 ? true : nil }
        }
        _ = await watch.value
        await #expect(throws: PostgresError.self) { try await lost.value }

        var hasty = PostgresOptions()
        hasty.pollingInterval = .milliseconds(20)
        try await server.engine(name, hasty).waitForChanges(after: made)
    }

    @Test func commitIsFoundByPollingIfItsNotificationFails() async throws {
        let server = try await PostgresServer.shared
        let (database, name) = (PostgresServer.newName("database"), PostgresServer.newName())
        try await server.sql("CREATE DATABASE \(database)")
        var options = PostgresOptions()
        options.pollingInterval = .milliseconds(200)
        let engine = try PostgresEngine(server.address(database), store: name)
        let other = try PostgresEngine(server.address(database), store: name, options: options)
        let start = try await other.here().position
        _ = try await engine.here()
        try await server.sql("DROP FUNCTION larder.announce(integer)", database: database)
        for value in ["1", "2"] { #expect(try await engine.commit(commit(["a": value])).committed != nil) }
        try await other.waitForChanges(after: start)
        let found = try await other.changes(after: start, limit: limit, replica: 1)
        guard case .changes(let changes, _) = found else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.map(\.position.revision) == [1, 2])
    }

    @Test func forgedNotificationsDoNotMakeReplicasSpin() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        var options = PostgresOptions()
        options.pollingInterval = .milliseconds(20)
        let engine = try server.engine(name, options)
        let position = try await engine.here().position
        // The listener connects.
        try await engine.waitForChanges(after: position)
        let number = try await server.sql("SELECT id FROM larder.store WHERE name = '\(name)'")[0][0] ?? ""
        for payload in ["9223372036854775807 1", "-1 1", "", "x y z"] {
            try await server.sql("NOTIFY larder_\(number), '\(payload)'")
        }
        let start = ContinuousClock.now
        for _ in 0..<10 { try await engine.waitForChanges(after: position) }
        // At most two calls may return at once: one by the notification, one by what is remembered of it.
        #expect(ContinuousClock.now - start >= .milliseconds(8 * 20))
    }

    @Test func storesOfOneDatabaseAreApart() async throws {
        let server = try await PostgresServer.shared
        let names = [PostgresServer.newName(), PostgresServer.newName()]
        let engines = try names.map { try server.engine($0) }
        for engine in engines { _ = try await engine.here() }
        let same = commit(["a": "1"])
        #expect(try await engines[0].commit(same).committed?.revision == 1)
        #expect(try await engines[1].allEntries().isEmpty)
        // Identifiers of another store mean nothing.
        #expect(try await engines[1].commit(same).committed?.revision == 1)
        #expect(try await engines[0].here().identity != engines[1].here().identity)
    }

    @Test func outageIsNotFloodedWithAttempts() async throws {
        let attempts = LockedCount()
        let socket = try LoopbackSocket { _ in
            attempts.increment()
            return Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        }
        let engine = try PostgresEngine("postgresql://127.0.0.1:\(socket.port)/app?sslmode=disable", store: "flags")
        let start = ContinuousClock.now
        while attempts.count < 5 {
            await #expect(throws: PostgresError.self) { try await engine.commit(commit(["a": "1"])) }
        }
        // The pauses between five attempts are at least 25, 50, 100 and 200 ms.
        #expect(ContinuousClock.now - start >= .milliseconds(375))
    }
}
#endif
