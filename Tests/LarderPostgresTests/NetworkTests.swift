#if Postgres
import LarderCore
import LarderPostgres
import LarderReplication
import LarderTestSupport
import LarderTestTraits
import Testing

/// A network that drops packets without telling either side.
@Suite(.needsPostgres, .needsNetworkNamespaces, .expectsIssues(.degraded, .rolledBack))
struct NetworkTests {
    @Test func cutNetworkLosesAndRepeatsNothing() async throws {
        let network = try NetworkNamespace()
        let server = try await PostgresServer(in: network)
        var options = PostgresOptions()
        options.timeout = .seconds(2)
        options.pollingInterval = .milliseconds(500)
        let machine = try PostgresMachine(
            await server.connectedEngine("flags", options),
            deadline: .seconds(10)
        )
        let store = machine.store
        try await store.set(0, for: "count", durability: .replicated)
        try network.cut()
        // The server receives the commit, and its answer is lost.
        let error = await #expect(throws: StoreError.self) {
            try await store.set(1, for: "count", durability: .replicated)
        }
        #expect(error?.code == .notConfirmed)
        for number in Int64(0)..<10 { try store.set(.int(number), for: StoreKey("queued.\(number)")) }
        #expect(try store.get("queued.9") == 9)
        try await waitUntil { store.freshness.failure != nil }
        try network.restore()
        // Over the socket in the server's folder, which is not part of the network.
        let engine = try server.engine("flags")
        try await machine.follow(engine)
        let entries = try await engine.allEntries()
        #expect(entries.count == 11)
        #expect(try store.entries().map { Array($0.key.utf8) } == entries.map(\.key))
        #expect(try store.entries().map { try $0.value.encoded() } == entries.map(\.value))
        #expect(try store.rejected().isEmpty)
        let written = try await server.sql(
            "SELECT count(*), count(DISTINCT key) FROM larder.change WHERE key LIKE 'queued%'::bytea"
        )
        #expect(written == [["10", "10"]])
        #expect(try store.verify().problems == [])
    }
}
#endif
