#if Postgres
import Foundation
import LarderReplication
import LarderTestSupport
import Testing

@testable import LarderPostgres

/// Servers, databases and schemas that an engine can't use.
@Suite(.needsPostgres)
struct BadServerTests {
    private func error(
        _ address: String,
        store: String = PostgresServer.newName(),
        _ change: (inout PostgresOptions) -> Void = { _ in }
    ) async throws -> PostgresError? {
        var options = PostgresOptions()
        change(&options)
        let engine = try PostgresEngine(address, store: store, options: options)
        let error = await #expect(throws: PostgresError.self) { try await engine.here() }
        // No message may repeat a password.
        #expect(error?.description.contains("secret") == false)
        return error
    }

    @Test func wrongPasswordIsNamed() async throws {
        let server = try await PostgresServer.shared
        _ = try? await server.sql("CREATE ROLE guard LOGIN PASSWORD 'right'")
        _ = try? await server.sql("CREATE DATABASE guarded")
        let wrong = try await error("postgresql://guard:secret@127.0.0.1:\(server.port)/guarded?sslmode=disable")
        #expect(wrong?.code == .notAuthenticated)
        #expect(wrong?.state == "28P01")
        let withoutPassword = "postgresql://guard@127.0.0.1:\(server.port)/guarded?sslmode=disable&passfile=/nowhere"
        let missing = try await error(withoutPassword)
        #expect(missing?.code == .notAuthenticated)
        #expect(missing?.message.contains("there is none") == true)
    }

    @Test func missingDatabaseAndUserAreNamed() async throws {
        let server = try await PostgresServer.shared
        #expect(try await error(server.address("nowhere"))?.code == .databaseNotFound)
        #expect(try await error(server.address("postgres", user: "unknown_user"))?.code == .notAuthenticated)
    }

    @Test func missingServerIsNamed() async throws {
        let port = try LoopbackSocket.freePort()
        #expect(try await error("postgresql://127.0.0.1:\(port)/app")?.code == .unreachable)
        #expect(try await error("postgresql:///app?host=/nowhere")?.code == .unreachable)
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example.org ESMTP\r\n"])
    func otherProgramIsNamed(greeting: String) async throws {
        let socket = try LoopbackSocket { _ in Array(greeting.utf8) }
        let address = "postgresql://127.0.0.1:\(socket.port)/app?sslmode="
        for mode in ["disable", "prefer"] {
            #expect(try await error(address + mode)?.code == .notPostgreSQL)
        }
    }

    @Test func serverThatNeverAnswersIsGivenUp() async throws {
        let socket = try LoopbackSocket { _ in nil }
        let silent = try await error("postgresql://127.0.0.1:\(socket.port)/app?connect_timeout=1&sslmode=disable")
        #expect(silent?.code == .unreachable)
    }

    @Test func oldServerIsNamed() async throws {
        @Sendable func message(_ kind: Character, _ body: [UInt8]) -> [UInt8] {
            Array("\(kind)".utf8) + UInt32(body.count + 4).networkBytes + body
        }
        // What PostgreSQL 9.6 says when a connection begins, and nothing afterwards.
        let socket = try LoopbackSocket { _ in
            message("R", [0, 0, 0, 0]) + message("S", Array("server_version\u{0}9.6.24\u{0}".utf8))
                + message("Z", Array("I".utf8))
        }
        let address = "postgresql://127.0.0.1:\(socket.port)/app?sslmode=disable&target_session_attrs=any"
        let old = try await error(address)
        #expect(old?.code == .oldServer)
        #expect(old?.message.contains("PostgreSQL 9,") == true)
    }

    @Test func standbyIsNamed() async throws {
        let server = try await PostgresServer.shared
        let database = PostgresServer.newName("database")
        try await server.sql("CREATE DATABASE \(database)")
        try await server.sql("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        #expect(try await error(server.address(database))?.code == .readOnly)
        #expect(try await error(server.address(database, "&target_session_attrs=any"))?.code == .readOnly)
    }

    @Test func misspelledStoreIsFound() async throws {
        let server = try await PostgresServer.shared
        _ = try await server.engine(PostgresServer.newName()).here()
        let missing = try await error(server.address()) { $0.createsStore = false }
        #expect(missing?.code == .storeNotFound)
    }

    @Test func removedStoreIsNamed() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        let start = try await engine.here().position
        _ = try await engine.commit(commit(["a": "1"]))
        _ = try await engine.status()
        let limit = ReplicationPageLimit(commits: 10, bytes: 1_000)
        _ = try await engine.changes(after: start, limit: limit, replica: 1)
        try await server.sql("DELETE FROM larder.store WHERE name = '\(name)'")
        func expectRemoved(_ call: () async throws -> Void) async {
            let error = await #expect(throws: PostgresError.self) { try await call() }
            #expect(error?.code == .storeNotFound)
        }
        await expectRemoved { _ = try await engine.commit(commit(["a": "2"])) }
        await expectRemoved { _ = try await engine.changes(after: start, limit: limit, replica: 1) }
        await expectRemoved { _ = try await engine.status() }
        await expectRemoved { _ = try await engine.here() }
    }

    @Test func storeThatWasReplacedIsRefused() async throws {
        let server = try await PostgresServer.shared
        let name = PostgresServer.newName()
        let engine = try server.engine(name)
        _ = try await engine.here()
        try await server.sql("DELETE FROM larder.store WHERE name = '\(name)'")
        let missing = await #expect(throws: PostgresError.self) { try await engine.here() }
        #expect(missing?.code == .storeNotFound)
        _ = try await server.engine(name).here()
        let replaced = await #expect(throws: PostgresError.self) { try await engine.here() }
        #expect(replaced?.code == .otherStore)
    }

    @Test func frozenServerIsNoticed() async throws {
        let server = try await PostgresServer()
        var options = PostgresOptions()
        options.timeout = .seconds(5)
        let engine = try await server.connectedEngine("flags", options)
        // Each call may need a new connection.
        let position = try await waitUntilAsync("the position") { try? await engine.here().position }
        try await waitUntilAsync("a commit") { try? await engine.commit(commit(["a": "1"])).committed }
        // It is refused after the notification of the first one, which would find the server frozen, and sends none.
        let refused = commit(if: [.value(nil, key: Array("a".utf8))])
        try await waitUntilAsync("the end of the notification") { try? await engine.commit(refused) }
        try server.freeze()
        #expect(try await engine.commit(commit(["a": "2"])).isUnknown)
        let limit = ReplicationPageLimit(commits: 10, bytes: 1_000)
        let error = await #expect(throws: PostgresError.self) {
            try await engine.changes(after: position, limit: limit, replica: 1)
        }
        #expect([.connectionLost, .unreachable].contains(error?.code))
        try server.thaw()
        try await waitUntilAsync("the server again") { try? await engine.here().position }
    }

    @Test func halfOpenConnectionIsNoticed() async throws {
        let server = try await PostgresServer.shared
        let proxy = try LoopbackProxy(to: server.port)
        var options = PostgresOptions()
        options.timeout = .seconds(5)
        let address = "postgresql://postgres@127.0.0.1:\(proxy.port)/postgres?sslmode=disable&connect_timeout=5"
        let engine = try PostgresEngine(address, store: PostgresServer.newName(), options: options)
        let start = try await waitUntilAsync("the first connection") { try? await engine.here() }
        #expect(try await engine.commit(commit(["a": "1"])).committed != nil)
        let limit = ReplicationPageLimit(commits: 10, bytes: 1_000)
        _ = try await engine.changes(after: start.position, limit: limit, replica: 1)
        proxy.cut()
        let lost = commit(["a": "2"], drawn: start.instant)
        #expect(try await engine.commit(lost).isUnknown)
        let error = await #expect(throws: PostgresError.self) {
            try await engine.changes(after: start.position, limit: limit, replica: 1)
        }
        #expect(error?.code == .connectionLost)
        proxy.heal()
        guard case .refused(.planted, _) = try await engine.outcome(of: lost.identifiers[0], drawn: lost.drawn) else {
            Issue.record("The commit was lost, and should be refused for good.")
            return
        }
        #expect(try await engine.commit(commit(["a": "3"])).committed?.revision == 2)
    }
}
#endif
