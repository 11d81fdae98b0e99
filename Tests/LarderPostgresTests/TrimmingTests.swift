#if Postgres
import LarderCore
import LarderReplication
import LarderStores
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// What is removed from the history and from the memory for identifiers, and what follows.
@Suite(.needsPostgres, .expectsIssues(.degraded, .rolledBack))
struct TrimmingTests {
    private let limit = ReplicationPageLimit(commits: 100, bytes: .max)

    /// Creates a store with commits whose history is trimmed at once.
    private func store(
        _ settings: String,
        commits: Int = 6
    ) async throws -> (server: PostgresServer, name: String, engine: PostgresEngine, positions: [ReplicationPosition]) {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        var positions = [try await engine.here().position]
        try await server.sql("UPDATE larder.store SET \(settings) WHERE name = '\(name)'")
        for number in 0..<commits {
            positions.append(try #require(try await engine.commit(commit(["n": "\(number)"])).committed))
        }
        // Commits of the same millisecond as the trimming are not old yet.
        try await waitUntilAsync("the next millisecond") {
            let rows = try await server.sql(
                "SELECT 1 FROM larder.store WHERE name = '\(name)' AND instant + 2 < extract(epoch FROM clock_timestamp()) * 1000"
            )
            return rows.isEmpty ? nil : true
        }
        return (server, name, engine, positions)
    }

    private func start(_ engine: PostgresEngine) async throws -> UInt64 { try await engine.status().historyStart }

    @Test func youngHistoryIsKept() async throws {
        let (_, _, engine, positions) = try await store("history_age = '1 hour'")
        _ = try await engine.changes(after: positions[6], limit: limit, replica: 1)
        #expect(try await start(engine) == 0)
    }

    @Test func slowestReplicaKeepsTheHistory() async throws {
        let (server, name, engine, positions) = try await store("history_age = '0'")
        _ = try await server.engine(name).changes(after: positions[2], limit: limit, replica: 1)
        #expect(try await start(engine) == 2)
        _ = try await server.engine(name).changes(after: positions[5], limit: limit, replica: 2)
        #expect(try await start(engine) == 2)
        guard case .changes(let changes, _) = try await engine.changes(after: positions[2], limit: limit, replica: 1)
        else {
            Issue.record("The history of the slowest replica should be kept.")
            return
        }
        #expect(changes.map(\.position) == Array(positions[3...]))
        guard case .historyLost = try await engine.changes(after: positions[1], limit: limit, replica: 3) else {
            Issue.record("The history before the slowest replica should be lost.")
            return
        }
        let status = try await engine.status()
        #expect(status.replicas.map(\.number) == [1, 2, 3])
        #expect(status.replicas.prefix(2).map(\.revision) == [2, 5])
    }

    @Test func readerThatIsNoReplicaIsNotNoted() async throws {
        let (server, name, engine, positions) = try await store("history_age = '0'")
        guard case .changes(let changes, _) = try await engine.changes(after: positions[1], limit: limit, replica: 0)
        else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.count == 5)
        #expect(try await engine.status().replicas.isEmpty)
        #expect(try await start(engine) == 0)
        // It holds back no trimming.
        _ = try await server.engine(name).changes(after: positions[4], limit: limit, replica: 1)
        #expect(try await start(engine) == 4)
        #expect(try await engine.status().replicas.map(\.number) == [1])
    }

    @Test func replicaThatWasNotSeenForLongKeepsNothing() async throws {
        let (server, name, engine, positions) = try await store("history_age = '0'")
        _ = try await engine.changes(after: positions[0], limit: limit, replica: 1)
        try await server.sql(
            "UPDATE larder.replica r SET seen = seen - 8 * 86400000 FROM larder.store s WHERE r.store = s.id AND s.name = '\(name)'"
        )
        _ = try await engine.changes(after: positions[4], limit: limit, replica: 2)
        #expect(try await start(engine) == 4)
        #expect(try await engine.status().replicas.map(\.number) == [2])
    }

    @Test(arguments: ["history_commits = 2", "history_bytes = 132"])
    func limitsAreStrongerThanAgeAndReplicas(settings: String) async throws {
        // Each commit counts 66 bytes: a key, a value, and 64.
        let (_, _, engine, positions) = try await store(settings)
        _ = try await engine.changes(after: positions[0], limit: limit, replica: 1)
        #expect(try await start(engine) == 4)
        guard case .historyLost = try await engine.changes(after: positions[3], limit: limit, replica: 1),
            case .changes(let changes, _) = try await engine.changes(after: positions[4], limit: limit, replica: 1)
        else {
            Issue.record("The history should begin after the fourth commit.")
            return
        }
        #expect(changes.count == 2)
    }

    @Test func stoppedReplicaTakesASnapshotAfterItsHistoryWasTrimmed() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let disk = MemoryStore()
        let first = try PostgresMachine(server.engine(name), replica: disk)
        for key in ["kept", "removed", "changed"] { try first.store.set(1, for: StoreKey(key)) }
        try await first.follow(engine)
        await first.stop()
        try first.store.set(7, for: "own")
        let other = try PostgresMachine(server.engine(name))
        try await other.follow(engine)
        try other.store.remove("removed")
        try other.store.set(2, for: "changed")
        try await other.follow(engine)
        try await server.sql("UPDATE larder.store SET history_age = '0', history_commits = 0 WHERE name = '\(name)'")
        let end = try await engine.here().position
        _ = try await server.engine(name).changes(after: end, limit: limit, replica: 9)
        #expect(try await start(engine) == end.revision)

        let again = try PostgresMachine(server.engine(name), replica: disk)
        try await again.follow(engine)
        try await other.follow(engine)
        for machine in [again, other] {
            #expect(
                try machine.store.entries()
                    == [
                        .init(key: "changed", value: 2), .init(key: "kept", value: 1), .init(key: "own", value: 7),
                    ]
            )
            #expect(try machine.store.verify().problems == [])
            #expect(try machine.store.rejected().isEmpty)
        }
    }

    /// Makes the verdicts of a store older by a number of days, and trims them.
    private func age(_ name: String, days: Int, _ server: PostgresServer) async throws {
        try await server.sql(
            """
            UPDATE larder.verdict v SET instant = v.instant - \(days) * 86400000 FROM larder.store s
            WHERE v.store = s.id AND s.name = '\(name)';
            SELECT larder.maintain(id, 9, revision) FROM larder.store WHERE name = '\(name)'
            """
        )
    }

    private func expectForgotten(_ commit: ReplicationCommit, _ engine: PostgresEngine) async throws {
        guard case .forgotten = try await engine.commit(commit),
            case .forgotten = try await engine.outcome(of: commit.identifiers[0], drawn: commit.drawn)
        else {
            Issue.record("The commit should be forgotten.")
            return
        }
    }

    private func instant(_ start: ReplicationInstant, plusDays days: Int64) -> ReplicationInstant {
        ReplicationInstant(milliseconds: start.milliseconds + days * 86_400_000)
    }

    @Test func commitThatIsOlderThanTheMemoryForIdentifiersIsForgotten() async throws {
        let (server, name, engine, _) = try await store("history_age = '0'", commits: 0)
        let now = try await engine.here().instant
        var old = commit(["a": "1"], drawn: instant(now, plusDays: -8))
        #expect(try await engine.commit(old).committed != nil)
        try await age(name, days: 8, server)
        try await expectForgotten(old, engine)
        old.drawn = nil
        try await expectForgotten(old, engine)
        #expect(try await engine.here().position.revision == 1)
        #expect(try await engine.commit(commit(["a": "2"], drawn: now)).committed?.revision == 2)
    }

    @Test func commitThatWasDrawnByAClockAheadIsForgottenToo() async throws {
        let (server, name, engine, _) = try await store("history_age = '0'", commits: 0)
        var ahead = commit(["a": "1"], drawn: instant(try await engine.here().instant, plusDays: 1))
        #expect(try await engine.commit(ahead).committed != nil)
        try await age(name, days: 9, server)
        // Nine days later, the commit was drawn eight days ago.
        ahead.drawn = ahead.drawn.map { instant($0, plusDays: -9) }
        try await expectForgotten(ahead, engine)
    }

    @Test func oldestVerdictsAboveTheLimitAreRemoved() async throws {
        let (server, name, engine, _) = try await store("verdict_limit = 4", commits: 0)
        let now = try await engine.here().instant
        let commits = (0..<6).map { commit(["n": "\($0)"], drawn: instant(now, plusDays: -1)) }
        for commit in commits { #expect(try await engine.commit(commit).committed != nil) }
        _ = try await engine.outcome(of: .init(session: 3, number: 3), drawn: now)
        let count = "SELECT verdicts, (SELECT count(*) FROM larder.verdict v WHERE v.store = s.id) FROM larder.store s"
        let counted = "\(count) WHERE name = '\(name)'"
        #expect(try await server.sql(counted) == [["7", "7"]])
        // Those of the last hours are kept.
        try await age(name, days: 0, server)
        #expect(try await server.sql(counted) == [["7", "7"]])
        try await server.sql(
            """
            UPDATE larder.verdict v SET instant = v.instant - 4 * 3600000 + v.revision FROM larder.store s
            WHERE v.store = s.id AND s.name = '\(name)' AND v.revision <= 5 AND v.refusal IS NULL
            """
        )
        try await age(name, days: 0, server)
        #expect(try await server.sql(counted) == [["4", "4"]])
        try await expectForgotten(commits[0], engine)
        #expect(try await engine.commit(commits[5]).committed?.revision == 6)
        #expect(try await engine.commit(commit(["n": "7"], drawn: now)).committed?.revision == 7)
    }

    @Test(arguments: [
        "verdict_age = '10 minutes'", "history_age = '-1 day'", "history_commits = -1", "verdict_limit = -1",
        "replica_age = '0'",
    ])
    func settingsThatBreakPromisesAreRefused(setting: String) async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        _ = try await server.engine(name).here()
        await #expect(throws: AdministratorConnection.Failure.self) {
            try await server.sql("UPDATE larder.store SET \(setting) WHERE name = '\(name)'")
        }
    }

    @Test func largeHistoryIsTrimmedInSmallSteps() async throws {
        let (server, name, engine, _) = try await store("history_bytes = 0", commits: 0)
        var large = commit()
        for number in 0..<3 {
            large.identifiers = [.init(session: 7, number: UInt64(number))]
            large.writes = [.init([UInt8](repeating: 7, count: 9 << 20), key: [1])]
            #expect(try await engine.commit(large).committed != nil)
        }
        for (floor, hasMore) in [("1", "t"), ("2", "t"), ("3", "f")] {
            let rows = try await server.sql("SELECT larder.maintain(id, 9, 0) FROM larder.store WHERE name = '\(name)'")
            #expect(rows == [[hasMore]])
            #expect(try await server.sql("SELECT floor FROM larder.store WHERE name = '\(name)'") == [[floor]])
        }
    }

    @Test func timeOfTheStoreNeverGoesBack() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let start = try await engine.here().instant
        // The clock of another server was a day ahead when it made the last commit.
        try await server.sql("UPDATE larder.store SET instant = instant + 86400000 WHERE name = '\(name)'")
        let ahead = try await engine.here().instant
        #expect(ahead.milliseconds > start.milliseconds + 86_000_000)
        #expect(try await engine.commit(commit(["a": "1"])).committed != nil)
        #expect(try await engine.here().instant == ahead)
    }

    @Test func pagesEndBeforeALimit() async throws {
        let (_, _, engine, positions) = try await store("history_age = '1 hour'")
        // Each commit counts 66 bytes.
        for (bytes, count) in [(1, 1), (66, 1), (131, 1), (132, 2), (396, 6), (Int.max, 6)] {
            let limit = ReplicationPageLimit(commits: 100, bytes: bytes)
            let page = try await engine.changes(after: positions[0], limit: limit, replica: 1)
            guard case .changes(let changes, _) = page else {
                Issue.record("The history should be known.")
                return
            }
            #expect(changes.map(\.position) == Array(positions[1...count]))
        }
    }
}
#endif
