#if Postgres
import Testing

@testable import LarderPostgres

@Suite
struct AddressTests {
    private func attempts(_ address: String, _ environment: [String: String] = [:]) throws -> [[String: String]] {
        try PostgresAddress(address, timeout: .seconds(7), environment: environment).attempts
            .map { Dictionary(uniqueKeysWithValues: $0.map { ($0.keyword, $0.value) }) }
    }

    @Test func addressGetsDefaultsThatDetectDeadConnections() throws {
        let parameters = try #require(try attempts("postgresql:///app").first)
        #expect(parameters["dbname"] == "app")
        #expect(parameters["target_session_attrs"] == "read-write")
        #expect(parameters["connect_timeout"] == "5")
        #expect(parameters["tcp_user_timeout"] == "7000")
        #expect(parameters["keepalives_idle"] == "10")
        #expect(parameters["host"] == nil)
    }

    @Test func whatTheAddressStatesIsKept() throws {
        let stated =
            "postgresql:///app?target_session_attrs=any&connect_timeout=60"
            + "&keepalives_idle=1&application_name=x"
        let parameters = try #require(try attempts(stated).first)
        #expect(parameters["target_session_attrs"] == "any")
        #expect(parameters["connect_timeout"] == "60")
        #expect(parameters["keepalives_idle"] == "1")
        #expect(parameters["fallback_application_name"] == nil)
    }

    @Test func environmentIsNotOverridden() throws {
        let environment = ["PGCONNECT_TIMEOUT": "9", "PGHOST": "one,two", "PGPORT": "1,2"]
        let all = try attempts("postgresql:///app", environment)
        #expect(all.map { $0["host"] } == ["one", "two"])
        #expect(all.map { $0["port"] } == ["1", "2"])
        #expect(all[0]["connect_timeout"] == nil)
        let service = try #require(try attempts("service=app").first)
        #expect(service["target_session_attrs"] == nil)
    }

    @Test func hostsAreTriedOneByOne() throws {
        let all = try attempts("postgresql://user:secret@one:1,two:2/app")
        #expect(all.map { $0["host"] } == ["one", "two"])
        #expect(all.map { $0["port"] } == ["1", "2"])
        #expect(all.allSatisfy { $0["password"] == "secret" })
    }

    @Test func nameHasNoPassword() throws {
        let engine = try PostgresEngine("postgresql://user:secret@one:1,two:2/app?sslmode=disable", store: "flags")
        #expect(engine.name == "postgresql://one:1,two:2/app (store \"flags\")")
    }

    @Test(arguments: [
        "http://example.org", "postgresql://user:sec%ret@host/app", "app", "postgresql:///app\u{0}", "host='x",
    ])
    func addressThatCannotBeReadIsRefused(address: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresEngine(address, store: "flags") }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("sec") == false)
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "x", count: 201)])
    func nameOfTheStoreIsChecked(name: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresEngine("postgresql:///app", store: name) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func optionsAreChecked() {
        var options = PostgresOptions()
        options.timeout = .zero
        #expect(throws: PostgresError.self) { try PostgresEngine("postgresql:///app", store: "x", options: options) }
    }
}
#endif
