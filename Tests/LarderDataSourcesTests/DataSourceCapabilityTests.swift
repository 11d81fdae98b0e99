import LarderCore
import LarderDataSources
import LarderStores
import LarderTesting
import Testing

/// Tests how wrapping data sources support the optional methods `update`, `entries` and `changes`.
@Suite struct DataSourceCapabilityTests {
    private let toText = ClosureMapper { (number: Int) in "\(number)" }
    private let toNumber = ClosureMapper { (text: String) -> Int in
        guard let number = Int(text) else { throw CoreError.DataSerialization() }
        return number
    }

    /// A data source that only reads, writes and deletes, and accepts only key queries.
    private struct KeysOnly: GetDataSource, PutDataSource, DeleteDataSource {
        let memory = InMemoryDataSource<Int>()
        func get(_ query: any KeyQuery) -> Future<Int> { memory.get(query) }
        func getAll(_ query: any KeyQuery) -> Future<[Int]> { memory.getAll(query) }
        func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> { memory.put(value, in: query) }
        func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { memory.putAll(values, in: query) }
        func delete(_ query: any KeyQuery) -> Future<Void> { memory.delete(query) }
    }

    @Test func keyQuerySourceCanBeMapped() throws {
        let source = DataSourceMapper<Int, String>(
            dataSource: KeysOnly(),
            toInMapper: toNumber,
            toOutMapper: toText
        )
        try source.put("1", forId: "a").get()
        #expect(try source.get("a").get() == "1")
        try source.putAll(["2", "3"], forId: "l").get()
        #expect(try source.getAll("l").get() == ["2", "3"])
        #expect(throws: CoreError.QueryNotSupported.self) { try source.getAll(AllObjectsQuery()).get() }
        #expect(throws: CoreError.QueryNotSupported.self) { try source.delete(AllObjectsQuery()).get() }
        try source.delete("a").get()
        #expect(throws: CoreError.NotFound.self) { try source.get("a").get() }
    }

    @Test func keyQuerySourceCanStoreSerializedModels() throws {
        let source = SerializationDataSourceMapper<String>(
            KeysOnly(),
            KeysOnly(),
            KeysOnly(),
            toText,
            ClosureMapper { (number: Int) in ["\(number)"] },
            toNumber,
            ClosureMapper { (texts: [String]) in texts.count }
        )
        #expect(try source.put("1", forId: "a").get() == "1")
        #expect(try source.putAll(["x", "y"], forId: "a").get() == ["2"])
        try source.delete("a").get()
    }

    @Test func updateFailsIfWrappedSourceHasNoUpdate() throws {
        let mapped = DataSourceMapper<Int, String>(dataSource: KeysOnly(), toInMapper: toNumber, toOutMapper: toText)
        #expect(throws: CoreError.NotImplemented.self) { try mapped.update(KeyQuery("a")) { $0 = "1" }.get() }
        #expect(throws: CoreError.NotImplemented.self) { try mapped.entries().get() }
        #expect(throws: CoreError.NotImplemented.self) { try mapped.changes(for: AllObjectsQuery()) }
        let void = VoidDataSource<Int>()
        #expect(throws: CoreError.NotImplemented.self) { try void.update(KeyQuery("a")) { $0 = 1 }.get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.entries().get() }
        #expect(throws: CoreError.NotImplemented.self) { try void.changes(for: AllObjectsQuery()) }
    }

    @Test func updateChangesNothingWhenMapperThrows() throws {
        let numbers = InMemoryDataSource<Int>()
        numbers.put(1, forId: "a")
        let source = DataSourceMapper<Int, String>(dataSource: numbers, toInMapper: toNumber, toOutMapper: toText)
        #expect(throws: CoreError.DataSerialization.self) { try source.update(KeyQuery("a")) { $0 = "one" }.get() }
        #expect(try numbers.get("a").get() == 1)
    }

    @Test func changeToUnmappableValueIsReportedAsDeletion() async throws {
        let texts = InMemoryDataSource<String>()
        let source = DataSourceMapper<String, Int>(dataSource: texts, toInMapper: toText, toOutMapper: toNumber)
        var changes = try source.changes(for: AllObjectsQuery()).makeAsyncIterator()
        texts.put("x", forId: "a")
        texts.put("1", forId: "a")
        for _ in 0..<1_030 { texts.put("2", forId: "a") }
        #expect(await changes.next() == .missed(8))
        #expect(await changes.next() == .value(2, key: "a"))
    }

    @Test func serializedListChangeIsReportedAsList() async throws {
        let texts = InMemoryDataSource<String>()
        let models = texts.codable([String: Int].self)
        var changes = try models.changes(for: AllObjectsQuery()).makeAsyncIterator()
        models.put(["a": 1], forId: "m")
        models.putAll([["b": 2]], forId: "l")
        texts.put("neither", forId: "n")
        texts.putAll(["list"], forId: "t")
        models.delete("m")
        #expect(await changes.next() == .value(["a": 1], key: "m"))
        #expect(await changes.next() == .list([["b": 2]], key: "l"))
        #expect(await changes.next() == .gone(key: "n"))
        #expect(await changes.next() == .gone(key: "t"))
        #expect(await changes.next() == .gone(key: "m"))
    }

    @Test func entriesFailIfAnyEntryIsInvalid() throws {
        let numbers = InMemoryDataSource<Int>()
        numbers.put(1, forId: "a")
        let source = DataSourceValidator(numbers, validator: ClosureValidator { $0 > 1 })
        #expect(throws: CoreError.NotValid.self) { try source.entries().get() }
        numbers.put(2, forId: "a")
        #expect(try source.entries().get().map(\.value) == [2])
    }

    @Test func typeErasedSourceOfModelsSupportsUpdate() throws {
        let store = MemoryStore()
        let erased = AnyDataSource(DeviceStorageDataSource<String>(store, prefix: "p").codable([String: Int].self))
        #expect(try erased.update(KeyQuery("m")) { $0 = ["a": 1] }.get() == ["a": 1])
        #expect(try erased.entries().get() == [DataSourceEntry(key: "m", value: ["a": 1])])
        #expect(try store.get("p.m") == "{\"a\":1}")
        #expect(throws: CoreError.QueryNotSupported.self) { try erased.update(VoidQuery()) { $0 = nil }.get() }
    }
}
