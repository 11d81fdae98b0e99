import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

/// Tests that typed keys read values that other libraries have stored, without changing the stored values.
struct ForeignFormatTests {
    /// A `Codable` type with a raw value, which Defaults stores as JSON.
    private enum Theme: String, Codable, DefaultsSerializable { case light, dark }

    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    private func expect<Value: DefaultsSerializable>(
        _ stored: StoredValue,
        as type: Value.Type,
        is value: Value.T,
        _ location: SourceLocation = #_sourceLocation
    ) throws where Value.T: Equatable {
        try store.set(stored, for: "k")
        let key = DefaultsKey<Value>("k", defaultValue: value)
        let issues = try issues {
            let read = try adapter.read(key)
            #expect(read == value, sourceLocation: location)
            #expect(adapter[key: key] == value, sourceLocation: location)
        }
        #expect(issues.isEmpty, sourceLocation: location)
        #expect(try store.get("k") == stored, sourceLocation: location)
    }

    private func json<Value: Encodable>(_ value: Value) throws -> Data { try JSONEncoder().encode(value) }

    private func archive(_ object: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    private let date = Date(timeIntervalSinceReferenceDate: 0.5)
    private let page = URL(string: "https://example.com/a?b=1")
    private let frogs = [CodableFrog(name: "a"), CodableFrog(name: "b", weight: 2)]

    // MARK: - SwiftyUserDefaults 3 and 4

    @Test func simpleValuesWrittenBySwiftyUserDefaults3And4AreRead() throws {
        try expect(3, as: Int.self, is: 3)
        try expect(["a", "b"], as: [String].self, is: ["a", "b"])
        try expect(.array([.date(date)]), as: [Date].self, is: [date])
        try expect(["a": 1], as: [String: Int].self, is: ["a": 1])
        try expect("sun", as: Weather.self, is: .sun)
        try expect(["sun", "rain"], as: [Weather].self, is: [.sun, .rain])
    }

    @Test func archivedURLsWrittenBySwiftyUserDefaults3And4AreRead() throws {
        let page = try #require(page)
        try expect(.data(try archive(page)), as: URL.self, is: page)
        try expect(.data(try archive([page, page])), as: [URL].self, is: [page, page])
        try expect("/tmp/a", as: URL.self, is: URL(filePath: "/tmp/a"))
    }

    @Test func codableValuesWrittenBySwiftyUserDefaults4AreRead() throws {
        try expect(.data(try json(frogs[0])), as: CodableFrog.self, is: frogs[0])
        try expect(.data(try json(frogs)), as: [CodableFrog].self, is: frogs)
    }

    @Test func archivedObjectsWrittenBySwiftyUserDefaults3To5AreRead() throws {
        try expect(.data(try archive(ArchivedFrog(name: "a"))), as: ArchivedFrog.self, is: ArchivedFrog(name: "a"))
        try expect(
            .data(try archive([ArchivedFrog(name: "a")])),
            as: [ArchivedFrog].self,
            is: [ArchivedFrog(name: "a")]
        )
    }

    // MARK: - SwiftyUserDefaults 5

    @Test func jsonArraysWrittenBySwiftyUserDefaults5AreRead() throws {
        try expect(.data(try json(["a", "b"])), as: [String].self, is: ["a", "b"])
        try expect(.data(try json([1, 2])), as: [Int].self, is: [1, 2])
        try expect(.data(try json([true, false])), as: [Bool].self, is: [true, false])
        try expect(.data(try json([0.5])), as: [Double].self, is: [0.5])
        try expect(.data(try json([date])), as: [Date].self, is: [date])
        try expect(.data(try json([Data([1, 2])])), as: [Data].self, is: [Data([1, 2])])
    }

    // MARK: - Defaults 9

    @Test func jsonURLWrittenByDefaults9IsRead() throws {
        let page = try #require(page)
        let text = StoredValue.string(String(decoding: try json(page), as: UTF8.self))
        try expect(text, as: URL.self, is: page)
        try expect(.array([text, text]), as: [URL].self, is: [page, page])
        try expect("\"https:\\/\\/example.com\\/a?b=1\"", as: URL.self, is: page)
    }

    @Test func jsonValueWrittenByDefaults9IsRead() throws {
        let texts = [#"{"name":"a","weight":1}"#, #"{"name":"b","weight":2}"#]
        try expect(.string(texts[0]), as: CodableFrog.self, is: frogs[0])
        try expect(.array(texts.map(StoredValue.string)), as: [CodableFrog].self, is: frogs)
        try expect(.dictionary(["x": .string(texts[1])]), as: [String: CodableFrog].self, is: ["x": frogs[1]])
        try expect(
            .dictionary(["x": .array([.string(texts[1])])]),
            as: [String: [CodableFrog]].self,
            is: ["x": [frogs[1]]]
        )
    }

    @Test func codableEnumWrittenByDefaults9IsRead() throws {
        try expect("\"dark\"", as: Theme.self, is: .dark)
        try expect("dark", as: Theme.self, is: .dark)
        try expect(["\"dark\"", "light"], as: [Theme].self, is: [.dark, .light])
    }

    @Test func setsRangesAndUUIDsWrittenByDefaults9AreRead() throws {
        let id = UUID()
        try expect(.string(id.uuidString), as: UUID.self, is: id)
        try expect([2, 1], as: Set<Int>.self, is: [1, 2])
        try expect([1, 5], as: Range<Int>.self, is: 1..<5)
        try expect(["1": "a"], as: [Int: String].self, is: [1: "a"])
    }

    // MARK: - @AppStorage and Sharing

    @Test func valuesAndRawValuesWrittenByAppStorageAreRead() throws {
        let page = try #require(page)
        try expect(true, as: Bool.self, is: true)
        try expect(.double(0.5), as: Double.self, is: 0.5)
        try expect(.data(Data([1])), as: Data.self, is: Data([1]))
        try expect(2, as: Size.self, is: .large)
        try expect(.data(try archive(page)), as: URL.self, is: page)
    }

    @Test func jsonCollectionsWrittenBySharingLibraryAreRead() throws {
        try expect(.data(try json(["a": 1])), as: [String: Int].self, is: ["a": 1])
        try expect(.data(try json([Theme.dark])), as: [Theme].self, is: [.dark])
        try expect(.data(try json(Set([1]))), as: Set<Int>.self, is: [1])
    }

    // MARK: - The key's type selects the form

    @Test func jsonLikeStringIsReadAsString() throws {
        try expect("\"a\"", as: String.self, is: "\"a\"")
    }

    @Test func nonJSONBytesAreNotReadAsArray() throws {
        try store.set(.data(Data("[1, 2, \"three\"]".utf8)), for: "k")
        let issues = issues { #expect(adapter[key: DefaultsKey<[Int]>("k", defaultValue: [7])] == [7]) }
        #expect(issues.map(\.code) == [.notConvertible])
    }

    @Test func modifiedForeignValueIsStoredInLarderFormat() throws {
        try store.set(.data(try json(["a"])), for: "k")
        adapter[key: DefaultsKey<[String]>("k", defaultValue: [])].append("b")
        #expect(try store.get("k") == ["a", "b"])
    }
}
