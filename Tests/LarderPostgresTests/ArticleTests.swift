#if Postgres
import LarderDeviceStore
import LarderPostgres
import LarderReplication
import LarderTestSupport
import Testing

/// The code in the articles of LarderPostgres.
@Suite
struct ArticleTests {
    /// Compiled only, because the server does not exist.
    private func article(path: String) throws {
        // Article
        let engine = try PostgresEngine("postgresql://db.example.org/app", store: "flags")
        print(engine.name)  // postgresql://db.example.org/app (store "flags")

        let store = try ReplicatedStore(replica: DeviceStore(path: path), engine: engine)
        let run = Task { await store.run() }

        var options = PostgresOptions()
        options.installsSchema = false  // the administrator does
        options.createsStore = false  // a misspelled name is an error
        let strict = try PostgresEngine("postgresql://db.example.org/app", store: "flags", options: options)
        // end
        run.cancel()
        _ = strict
    }

    @Test func articleContainsTheTestedCode() throws {
        let article = "LarderPostgres/LarderPostgres.docc/RunningOnPostgreSQL.md"
        let (printed, tested) = try articleCode(article: article, source: #filePath)
        #expect(printed == tested)
    }
}
#endif
