import LarderCore
import LarderDataSources
import LarderStores
import Testing

struct DataSourceExtensionTests {
    /// A data source that accepts all queries and records a description of each call.
    private struct Echo: GetDataSource, PutDataSource, DeleteDataSource {
        let asked: Recorder<String>

        func get(_ query: any Query) -> Future<String> { Future(record("get", query)) }
        func getAll(_ query: any Query) -> Future<[String]> { Future([record("getAll", query)]) }
        func put(_ value: String?, in query: any Query) -> Future<String> { Future(record("put", query)) }
        func putAll(_ values: [String], in query: any Query) -> Future<[String]> { Future([record("putAll", query)]) }
        func delete(_ query: any Query) -> Future<Void> { Future { _ = record("delete", query) } }

        private func record(_ verb: String, _ query: any Query) -> String {
            let text = "\(verb) \((query as? any KeyQuery)?.key ?? "?")"
            asked.add(text)
            return text
        }
    }

    @Test func anyQuerySourceAcceptsIdentifiers() {
        let source = Echo(asked: Recorder())
        _ = source.get("a")
        _ = source.getAll(1)
        source.put("x", forId: "b")
        source.putAll([], forId: 2)
        source.delete("c")
        #expect(source.asked.values == ["get a", "getAll 1", "put b", "putAll 2", "delete c"])
    }

    @Test func keyQuerySourceAcceptsIdentifiers() throws {
        let source = DeviceStorageDataSource<String>(MemoryStore())
        try source.put("x", forId: 1).get()
        try source.putAll(["y"], forId: "list").get()
        #expect(try source.get(1).get() == "x")
        #expect(try source.getAll("list").get() == ["y"])
        try source.delete(1).get()
        #expect(throws: CoreError.NotFound.self) { try source.get(1).get() }
    }

    @Test func genericCodeCanReadAndWriteByIdentifier() throws {
        func roundTrip<Source: GetDataSource<Int> & PutDataSource<Int>>(_ source: Source) throws -> Int
        where Source.GetQuery == any KeyQuery, Source.PutQuery == any KeyQuery {
            source.put(4, forId: "n")
            return try source.get("n").get()
        }
        #expect(try roundTrip(DeviceStorageDataSource<Int>(MemoryStore())) == 4)
    }
}
