#if Postgres
import LarderPostgres
import Testing

@Suite
struct AddressTests {
    @Test func limitsAreDeclared() throws {
        let engine = try PostgresEngine("postgresql:///app", store: "flags")
        #expect(engine.limits.operations == 10_000)
    }
}
#endif
