import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

/// Tests the stored forms of values, which later versions must still be able to read.
struct StoredFormTests {
    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    private func stored<Value: DefaultsSerializable>(_ type: Value.Type, _ value: Value.T) throws -> StoredValue? {
        adapter[key: DefaultsKey<Value>("key", defaultValue: value)] = value
        return try store.get("key")
    }

    @Test func arraysOfBuiltInTypesAreStoredAsArrays() throws {
        #expect(try stored([String].self, ["a", "b"]) == ["a", "b"])
        #expect(try stored([Int].self, [1, 2]) == [1, 2])
    }

    @Test func codableValueIsStoredAsJSONWithSortedKeys() throws {
        let json = Data(#"{"name":"a","weight":1}"#.utf8)
        #expect(try stored(CodableFrog.self, CodableFrog(name: "a")) == .data(json))
        let list = Data(#"[{"name":"a","weight":1}]"#.utf8)
        #expect(try stored([CodableFrog].self, [CodableFrog(name: "a")]) == .data(list))
    }

    @Test func codableEnumIsStoredAsRawValue() throws {
        #expect(try stored(Mood.self, .loud) == "loud")
        #expect(try stored([Size].self, [.small, .large]) == [1, 2])
    }

    @Test func objectsAndArraysOfObjectsAreStoredAsArchives() throws {
        #expect(try stored(ArchivedFrog.self, ArchivedFrog(name: "a"))?.kind == .data)
        #expect(try stored([ArchivedFrog].self, [ArchivedFrog(name: "a")])?.kind == .data)
    }

    @Test func unknownRawValueReadsAsDefaultAndIsKept() throws {
        try store.set("furious", for: "mood")
        let key = DefaultsKey<Mood>("mood", defaultValue: .calm)
        let issues = issues { #expect(adapter[key: key] == .calm) }
        #expect(issues.map(\.code) == [.notConvertible])
        #expect(try store.get("mood") == "furious")
    }

    @Test func undecodableElementMakesEntireArrayUnreadable() throws {
        try store.set(["calm", "furious"], for: "moods")
        let key = DefaultsKey<[Mood]>("moods", defaultValue: [])
        let issues = issues { #expect(adapter[key: key] == []) }
        #expect(issues.count == 1)
    }

    @Test func undecodableJSONIsReportedAndNotChanged() throws {
        try store.set(.data(Data("{".utf8)), for: "frog")
        let key = DefaultsKey<CodableFrog?>("frog")
        let issues = issues { #expect(adapter[key: key] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
        #expect(try store.get("frog") == .data(Data("{".utf8)))
    }

    @Test func unencodableValueIsNotStored() throws {
        let key = DefaultsKey<CodableFrog?>("frog")
        adapter[key: key] = CodableFrog(name: "a")
        let issues = issues { adapter[key: key] = CodableFrog(name: "b", weight: .nan) }
        #expect(issues.map(\.code) == [.unsupportedValue])
        #expect(adapter[key: key] == CodableFrog(name: "a"))
    }

    @Test func canonicallyEquivalentDictionaryKeysAreReportedAsLossyConversion() throws {
        try store.set(.dictionary(StoredDictionary([("\u{E9}", 1), ("e\u{301}", 2)])), for: "counts")
        let key = DefaultsKey<[String: Int]>("counts", defaultValue: [:])
        let issues = issues { #expect(adapter[key: key].count == 1) }
        #expect(issues.map(\.code) == [.lossyConversion])
    }

    @Test func scalarDoesNotConvertToContainer() throws {
        try store.set(1, for: "key")
        let issues = issues {
            #expect(adapter[key: DefaultsKey<[Int]?>("key")] == nil)
            #expect(adapter[key: DefaultsKey<[String: Int]?>("key")] == nil)
            #expect(adapter[key: DefaultsKey<CodableFrog?>("key")] == nil)
            #expect(adapter[key: DefaultsKey<ArchivedFrog?>("key")] == nil)
        }
        #expect(issues.map(\.code) == Array(repeating: .notConvertible, count: 4))
    }
}
