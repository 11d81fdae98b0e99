#if Postgres
import LarderReplication
import LarderTestSupport
import Testing

@testable import LarderPostgres

/// Connections with TLS, and certificates that must not be accepted.
@Suite(.needsPostgres)
struct CertificateTests {
    /// Writes a certificate that signs itself, for the host `localhost`, and its key.
    private func certificate(_ name: String, _ server: PostgresServer) async throws -> String {
        let path = "\(server.data)/\(name)"
        try await PostgresPrograms.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", path + ".key",
                "-out", path + ".crt",
            ]
        )
        // The folder of the data is closed to other users.
        let copy = "\(server.folder)/\(name).crt"
        try await PostgresPrograms.run("cp", [path + ".crt", copy])
        return copy
    }

    private func address(_ server: PostgresServer, host: String, certificate: String) -> String {
        "postgresql://postgres@\(host):\(server.port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=\(certificate)"
    }

    private func error(_ address: String) async throws -> PostgresError? {
        let engine = try PostgresEngine(address, store: "flags")
        return await #expect(throws: PostgresError.self) { try await engine.here() }
    }

    @Test func certificatesAreChecked() async throws {
        let server = try await PostgresServer()
        let (right, wrong) = (try await certificate("server", server), try await certificate("other", server))
        let off = try await error(address(server, host: "localhost", certificate: right))
        #expect(off?.code == .tlsFailed)
        #expect(off?.message.contains("ssl = on") == true)

        try await server.sql("ALTER SYSTEM SET ssl = on")
        try await server.sql("SELECT pg_reload_conf()")
        let engine = try PostgresEngine(address(server, host: "localhost", certificate: right), store: "flags")
        _ = try await waitUntilAsync("the first connection") { try? await engine.here() }
        #expect(try await engine.commit(commit(["a": "1"])).committed?.revision == 1)
        let encrypted = try await server.sql(
            "SELECT DISTINCT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'larder'"
        )
        #expect(encrypted == [["t"]])

        let untrusted = try await error(address(server, host: "localhost", certificate: wrong))
        #expect(untrusted?.code == .tlsFailed)
        #expect(untrusted?.message.contains("sslrootcert") == true)
        let missing = try await error(address(server, host: "localhost", certificate: "/nowhere/root.crt"))
        #expect(missing?.code == .tlsFailed)
        #expect(missing?.message.contains("/nowhere/root.crt") == true)
        let other = try await error(address(server, host: "db.example.org", certificate: right))
        #expect(other?.code == .tlsFailed)
        #expect(other?.message.contains("db.example.org") == true)
        #expect(try await engine.commit(commit(["a": "2"])).committed?.revision == 2)
    }
}
#endif
