#if Postgres
import LarderReplication
import LarderTestSupport
import Testing

@testable import LarderPostgres

/// Creating and upgrading the schema, and privileges.
@Suite(.needsPostgres)
struct SchemaTests {
    /// A database without the schema.
    private func newDatabase(_ server: PostgresServer) async throws -> String {
        let database = PostgresServer.newName("database")
        try await server.sql("CREATE DATABASE \(database)")
        return database
    }

    @Test func commitReadsFewRowsOfStoreThatTheStatisticsDoNotKnow() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        for name in ["old", "new"] { _ = try await PostgresEngine(server.address(database), store: name).here() }
        /// Makes a commit that writes some keys, and removes some others.
        func commit(_ count: Int, _ name: String, from first: Int, removing removed: String) -> String {
            let numbers = "FROM generate_series(\(first), \(first + count - 1)) AS i"
            return """
                SELECT larder.commit((SELECT s.id FROM larder.store s WHERE s.name = '\(name)'),
                    ARRAY (SELECT decode(lpad(to_hex(i), 32, '0'), 'hex') \(numbers)), NULL, 1, '{}', '{}', '{}', '{}', '{}',
                    ARRAY (SELECT convert_to('key/' || i, 'UTF8') \(numbers)) || ARRAY[\(removed)]::bytea[],
                    ARRAY (SELECT '\\x00'::bytea \(numbers)) || array_fill(NULL::bytea, ARRAY[cardinality(ARRAY[\(removed)]::bytea[])]),
                    array_fill(NULL::bigint, ARRAY[\(count) + cardinality(ARRAY[\(removed)]::bytea[])]));
                """
        }
        try await server.sql(commit(2_000, "old", from: 1, removing: ""), database: database)
        try await server.sql("ANALYZE", database: database)
        try await server.sql(commit(2_000, "new", from: 1, removing: ""), database: database)
        let rows = try await server.sql(
            commit(1, "new", from: 3_000, removing: "'key/5', 'key/6'") + """
                SELECT sum(pg_stat_get_xact_tuples_returned(c.oid)) FROM pg_class c WHERE c.relnamespace = 'larder'::regnamespace
                """,
            database: database
        )
        #expect(try #require(rows[0][0].flatMap { Int($0) }) < 50)
    }

    @Test func severalEnginesInstallTheSchemaOnce() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        let identities = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<4 {
                group.addTask { try await PostgresEngine(server.address(database), store: "flags").here().identity }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identities.count == 1)
        #expect(identities.first?.count == 16)
    }

    @Test func administratorInstallsTheSchemaAndProgramsOnlyCallFunctions() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        let role = PostgresServer.newName("role")
        try await server.sql("CREATE ROLE \(role) LOGIN", database: database)
        let engine = try PostgresEngine(server.address(database, user: role), store: "flags")
        func failure() async -> PostgresError? { await #expect(throws: PostgresError.self) { try await engine.here() } }
        let early = await failure()
        #expect(early?.code == .notPermitted)
        #expect(early?.message.contains("larder replicate schema") == true)

        for _ in 0..<2 {
            let run = #"printf '%s' "$1" | psql -X --quiet "$2""#
            let address = server.address(database)
            try await PostgresPrograms.run("sh", ["-c", run, "sh", PostgresSchema.script, address])
        }
        let ungranted = await failure()
        #expect(ungranted?.code == .notPermitted)
        #expect(ungranted?.message.contains("GRANT") == true || ungranted?.message.contains("Grant") == true)
        try await server.sql(
            "GRANT USAGE ON SCHEMA larder TO \(role); GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA larder TO \(role)",
            database: database
        )
        let start = try await engine.here().position
        #expect(try await engine.commit(commit(["a": "1"])).committed != nil)
        let limit = ReplicationPageLimit(commits: 10, bytes: 1_000)
        guard case .changes(let changes, _) = try await engine.changes(after: start, limit: limit, replica: 1) else {
            Issue.record("The history should be known.")
            return
        }
        #expect(changes.count == 1)
        #expect(try await engine.status().replicas.map(\.number) == [1])
        await #expect(throws: AdministratorConnection.Failure.self) {
            try await server.sql("SET ROLE \(role); SELECT * FROM larder.entry", database: database)
        }
    }

    @Test func missingSchemaIsNamed() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        var options = PostgresOptions()
        options.installsSchema = false
        let engine = try PostgresEngine(server.address(database), store: "flags", options: options)
        let error = await #expect(throws: PostgresError.self) { try await engine.here() }
        #expect(error?.code == .schemaMissing)
    }

    @Test func newerProgramUpgradesTheSchemaAndOlderOnesAreRefused() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        func engine(_ schema: SchemaInstallation, installs: Bool = true) throws -> PostgresEngine {
            var options = PostgresOptions()
            options.installsSchema = installs
            return try PostgresEngine(server.address(database), store: "flags", options: options, schema: schema)
        }
        let current = PostgresSchema.installation
        func next(_ oldest: Int) -> SchemaInstallation {
            SchemaInstallation(
                steps: current.steps + ["UPDATE larder.schema_version SET version = 2, oldest_program = \(oldest)"]
            )
        }
        let first = try engine(current)
        _ = try await first.here()
        #expect(try await first.commit(commit(["a": "1"])).committed != nil)
        let error = await #expect(throws: PostgresError.self) { try await engine(next(1), installs: false).here() }
        #expect(error?.code == .schemaMissing)
        #expect(error?.message.contains("version 1") == true && error?.message.contains("version 2") == true)
        #expect(try await engine(next(1)).status().schemaVersion == 2)
        // Version 2 says that programs that know version 1 can use it.
        #expect(try await engine(current).status().schemaVersion == 2)
        try await server.sql("UPDATE larder.schema_version SET oldest_program = 2", database: database)
        let newer = await #expect(throws: PostgresError.self) { try await engine(current).here() }
        #expect(newer?.code == .newerSchema)
        #expect(newer?.message.contains("version 2") == true && newer?.message.contains("version 1") == true)
        #expect(try await engine(next(2)).allEntries().count == 1)
    }

    @Test func failedUpgradeChangesNothing() async throws {
        let server = try await PostgresServer.shared
        let database = try await newDatabase(server)
        let broken = SchemaInstallation(steps: PostgresSchema.installation.steps + ["CREATE TABLE larder.store ()"])
        let engine = try PostgresEngine(server.address(database), store: "x", options: .init(), schema: broken)
        await #expect(throws: PostgresError.self) { try await engine.here() }
        #expect(try await server.sql("SELECT to_regclass('larder.store')", database: database) == [[nil]])
    }
}
#endif
