#if Postgres
import LarderCore
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

@testable import LarderPostgres

/// Keys and values that other databases refuse, and those that PostgreSQL does.
@Suite(.needsPostgres)
struct KeyTests {
    @Test func keysMayBeEmptyAndContainAnyByte() async throws {
        let engine = try await PostgresServer.shared.newEngine()
        let start = try await engine.here().position
        let keys: [[UInt8]] = [[], [0], [0, 0], Array("'\\\"$1%\n".utf8), [0x41, 0], [0xFF], [0xFF, 0xFF]]
        var commit = commit()
        commit.writes = keys.map { .init($0, key: $0) }
        #expect(try await engine.commit(commit).committed != nil)
        #expect(try await engine.allEntries().map(\.key) == keys)
        let limit = ReplicationPageLimit(commits: 1, bytes: 1)
        guard case .changes(let changes, _) = try await engine.changes(after: start, limit: limit, replica: 1) else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.map(\.writes) == [commit.writes])
        for prefix in [[], [0xFF], [0xFF, 0xFF], [0x41]] as [[UInt8]] {
            let pairs = keys.filter { $0.starts(with: prefix) }.map { ReplicationCommit.Pair(key: $0, value: $0) }
            var listing = Self.empty
            listing.expectations = [.entries(pairs, prefix: prefix)]
            #expect(try await engine.commit(listing).committed != nil, "\(prefix)")
        }
    }

    private static var empty: ReplicationCommit { commit() }

    @Test(.expectsIssues(.degraded)) func keyThatIsNotUTF8StopsReplicasUntilItIsRemoved() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let machine = try PostgresMachine(server.engine(name))
        try await machine.store.set(1, for: "x", durability: .replicated)
        var foreign = commit()
        foreign.writes = [.init([1], key: [0x61, 0xFF])]
        #expect(try await engine.commit(foreign).committed != nil)
        try await waitUntil("the error") { machine.store.freshness.failure?.contains("61ff") ?? false }
        try machine.store.set(2, for: "y")
        #expect(try machine.store.get("x") == 1)
        for table in ["entry", "change"] {
            try await server.sql(
                "DELETE FROM larder.\(table) e USING larder.store s WHERE e.store = s.id AND s.name = '\(name)' AND e.key = '\\x61ff'"
            )
        }
        try await machine.follow(engine)
        #expect(try await engine.allEntries().map { String(decoding: $0.key, as: UTF8.self) } == ["x", "y"])
        #expect(try machine.store.rejected().isEmpty)
        #expect(try machine.store.verify().problems == [])
    }

    @Test func listingThatNoStoreHasIsRefused() async throws {
        let engine = try await PostgresServer.shared.newEngine()
        var writing = commit(["a": "1", "b": "2"])
        writing.writes.append(.init([3], key: Array("\u{0}larder.x".utf8)))
        #expect(try await engine.commit(writing).committed != nil)
        func pair(_ key: String, _ value: [UInt8]) -> ReplicationCommit.Pair {
            .init(key: Array(key.utf8), value: value)
        }
        let (a, b, reserved) = (pair("a", [0x31]), pair("b", [0x32]), pair("\u{0}larder.x", [3]))
        for wrong in [[b, a], [a, a], [a, b, b], [reserved, a, b], [reserved], [a]] {
            var commit = Self.empty
            commit.expectations = [.entries(wrong, prefix: [])]
            guard case .refused(.expectation, _) = try await engine.commit(commit) else {
                Issue.record("The listing should be refused: \(wrong)")
                continue
            }
        }
    }

    @Test func keyThatIsTooLongIsRefused() async throws {
        let engine = try await PostgresServer.shared.newEngine()
        // Random bytes, because PostgreSQL compresses the keys in an index.
        let key = (0..<engine.limits.keyLength).map { _ in UInt8.random(in: 0 ... .max) }
        var (longest, longer) = (commit(), commit())
        longest.writes = [.init([], key: key)]
        longer.writes = [.init([], key: key + [0])]
        #expect(try await engine.commit(longest).committed != nil)
        guard case .refused(.invalid, _) = try await engine.commit(longer) else {
            Issue.record("The key should be refused.")
            return
        }
        #expect(try await engine.allEntries().map(\.key) == [key])
    }

    @Test func argumentsThatCanNeverBeRightAreRefusedForGood() async throws {
        let server = try await PostgresServer.shared
        let engine = try await server.newEngine()
        let connector = PostgresConnector(
            try PostgresAddress(server.address(), timeout: .seconds(10)),
            store: engine.connector.store,
            PostgresOptions(),
            PostgresSchema.installation
        )
        let session = try connector.connect()
        let identifier = [UInt8](repeating: 1, count: 16)
        func parameters(_ identifiers: [[UInt8]?], _ keys: [[UInt8]?]) -> [PostgresValue] {
            let none = PostgresValue.bytesArray([])
            return [
                .bytesArray(identifiers), .int8(nil), .int8(1), none, none, none, none, .int4Array([]),
                .bytesArray(keys), .bytesArray(keys.map { _ in [1] }), .int8Array(keys.map { _ in nil }),
            ]
        }
        let long = [UInt8](repeating: 1, count: 2_049)
        let wrong: [([[UInt8]?], [[UInt8]?])] = [
            ([], []), ([[1]], []), ([identifier, nil], []), ([identifier], [nil]), ([identifier], [long]),
            ([identifier], [[1], [1]]),
        ]
        for (identifiers, keys) in wrong {
            guard case .refused(.invalid, _) = try PostgresEngine.send(parameters(identifiers, keys), on: session)
            else {
                Issue.record("The arguments should be refused: \(identifiers), \(keys)")
                continue
            }
        }
        #expect(!session.connection.isBroken)
        #expect(try await engine.here().position.revision == 0)
        #expect(try PostgresEngine.send(parameters([identifier], [[1]]), on: session).committed?.revision == 1)
    }

    @Test(arguments: ["54000", "22021", "53100", "P0001"])
    func errorsThatMayPassDoNotRejectACommit(state: String) async throws {
        let server = try await PostgresServer.shared
        let database = PostgresServer.newName("database")
        try await server.sql("CREATE DATABASE \(database)")
        let engine = try PostgresEngine(server.address(database), store: "flags")
        let start = try await engine.here()
        let fail = """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '\(state)'; END $$;
            CREATE TRIGGER fail BEFORE INSERT ON larder.revision EXECUTE FUNCTION fail()
            """
        try await server.sql(fail, database: database)
        let commit = commit(["a": "1"], drawn: start.instant)
        let error = await #expect(throws: PostgresError.self) { try await engine.commit(commit) }
        #expect(error?.state == state)
        try await server.sql("DROP TRIGGER fail ON larder.revision", database: database)
        #expect(try await engine.commit(commit).committed?.revision == 1)
    }

    @Test func settingsOfTheDatabaseDoNotMatter() async throws {
        let server = try await PostgresServer.shared
        let database = PostgresServer.newName("database")
        try await server.sql("CREATE DATABASE \(database)")
        let settings = [
            "standard_conforming_strings = off", "default_transaction_isolation = serializable",
            "synchronous_commit = off", "bytea_output = escape", "client_min_messages = error",
        ]
        for setting in settings { try await server.sql("ALTER DATABASE \(database) SET \(setting)") }
        let engine = try PostgresEngine(server.address(database), store: "flags")
        _ = try await engine.here()
        let listing = [ReplicationCommit.Expectation.entries([], prefix: [])]
        #expect(try await engine.commit(commit(["a": "1"], if: listing)).committed != nil)
        #expect(try await engine.allEntries().count == 1)
    }

    @Test func snapshotIsReadInParts() async throws {
        let engine = try await PostgresServer.shared.newEngine()
        var large = commit()
        // Each is larger than a part.
        large.writes = (0..<3).map { .init([UInt8](repeating: 7, count: 5 << 20), key: [$0]) }
        #expect(try await engine.commit(large).committed != nil)
        let parts = LockedCount()
        _ = try await engine.snapshot { part in
            #expect(part.count == 1)
            parts.increment()
        }
        #expect(parts.count == 3)
        struct Full: Error {}
        await #expect(throws: Full.self) { try await engine.snapshot { _ in throw Full() } }
    }
}
#endif
