import LarderCore
import LarderDefaults
import LarderStores
import Synchronization
import Testing

@Suite struct InspectionTests {
    private struct Settings: DefaultsKeyStore, Sendable {
        let volume = DefaultsKey<Double>("volume", defaultValue: 0.5)
        var launches: DefaultsKey<Int> { .init("launches", defaultValue: 0) }
        var name: DefaultsKey<String?> { .init("name", was: "userName") }
    }

    private let store = MemoryStore()
    private var adapter: DefaultsAdapter<Settings> { DefaultsAdapter(store: store, keyStore: Settings()) }
    private var inspected: InspectedKeys {
        InspectedKeys(adapter, adapter.keyStore.launches, adapter.keyStore.name, adapter.keyStore.volume)
    }

    @Test func keysHaveTypesDefaultsAndCurrentValues() throws {
        try store.set(0.75, for: "volume")
        try store.set("Ada", for: "userName")
        let inspected = inspected
        #expect(inspected.inspectionRole == .typedKeys)
        let page = try inspected.inspectionPage(InspectionQuery(table: "keys"))
        #expect(
            page.records.map(\.values) == [
                ["launches", "Int", 0, "key default", 0], ["name", "String?", "Ada", "stored", .null],
                ["volume", "Double", 0.75, "stored", 0.5],
            ]
        )
        #expect(try inspected.inspectionRecord("volume", in: "keys") == page.records[2])
        #expect(try inspected.inspectionFacts().map(\.value) == ["3", "2"])
        #expect(try inspected.inspectionTables().first?.columns.count == 5)
        #expect(store.verify().problems == [])
    }

    @Test func storedPropertiesOfKeyStoreAreFound() throws {
        let page = try InspectedKeys(adapter).inspectionPage(InspectionQuery(table: "keys"))
        #expect(page.records.map(\.key) == ["volume"])
    }

    @Test func keysAreSearchedAndPaged() throws {
        var query = InspectionQuery(table: "keys", limit: 2)
        let first = try inspected.inspectionPage(query)
        query.after = first.next
        #expect(try inspected.inspectionPage(query).records.map(\.key) == ["volume"])
        query = InspectionQuery(table: "keys")
        query.text = "STRING"
        #expect(try inspected.inspectionPage(query).records.map(\.key) == ["name"])
        query.filter = "type == 1"
        #expect(throws: InspectionQueryError.self) { try inspected.inspectionPage(query) }
    }

    @Test func onlyChangesOfDeclaredKeysAreObserved() throws {
        let keys = Mutex<[String]>([])
        let observation = try inspected.observeForInspection { event in
            guard case .changes(let changes, _) = event else { return }
            keys.withLock { $0 += changes.map(\.key) }
        }
        try store.set(1, for: "launches")
        try store.set(1, for: "other")
        observation?.cancel()
        #expect(keys.withLock(\.self) == ["launches"])
        #expect(store.verify().problems == [])
    }
}
