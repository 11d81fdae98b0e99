import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTesting
import Testing

/// Tests behaviors 19 to 33 of SwiftyUserDefaults, which its own tests do not cover.
///
/// For values of another type, Larder's conversion table takes precedence over behaviors 19 to 21.
struct SwiftyUserDefaultsBehaviorTests {
    private enum Level: String, Codable, DefaultsSerializable { case low, high }

    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    private func read<Value: DefaultsSerializable>(
        _ type: Value.Type,
        over stored: StoredValue,
        default value: Value.T
    ) throws
        -> (Value.T, [LarderIssue.Code])
    {
        try store.set(stored, for: "k")
        var read = value
        let issues = issues { read = adapter[key: DefaultsKey<Value>("k", defaultValue: value)] }
        #expect(try store.get("k") == stored)
        return (read, issues.map(\.code))
    }

    // Behavior 19.
    @Test func intKeyReadsValuesOfOtherTypes() throws {
        #expect(try read(Int.self, over: "hello", default: 7) == (7, [.notConvertible]))
        #expect(try read(Int.self, over: "42", default: 7) == (42, []))
        // A lossy conversion is reported.
        #expect(try read(Int.self, over: .double(2.7), default: 7) == (2, [.lossyConversion]))
        #expect(try read(Int.self, over: true, default: 7) == (1, []))
    }

    // Behavior 20.
    @Test func boolAndDoubleKeysReadValuesOfOtherTypes() throws {
        #expect(try read(Double.self, over: "61.3", default: 7) == (61.3, []))
        #expect(try read(Double.self, over: 3, default: 7) == (3, []))
        #expect(try read(Bool.self, over: 1, default: false) == (true, []))
    }

    // Behavior 21.
    @Test func stringAndDateKeysReadValuesOfOtherTypes() throws {
        #expect(try read(String.self, over: 3, default: "d") == ("3", []))
        #expect(try read(String.self, over: .double(3.5), default: "d") == ("3.5", []))
        #expect(try read(String.self, over: [1], default: "d") == ("d", [.notConvertible]))
        #expect(try read(Date?.self, over: 3, default: nil) == (nil, [.notConvertible]))
    }

    // Behavior 22.
    @Test func unknownRawValueReadsAsDefaultAndIsKept() throws {
        #expect(try read(Weather.self, over: "fog", default: .sun) == (.sun, [.notConvertible]))
        #expect(adapter.hasKey(DefaultsKey<Weather>("k", defaultValue: .sun)))
    }

    // Behavior 23.
    @Test func undecodableElementMakesEntireArrayUnreadable() throws {
        // SwiftyUserDefaults skips unknown raw values, but discards the whole array for a wrong type. Larder treats both cases alike.
        #expect(try read([Weather].self, over: ["sun", "fog"], default: [.rain]) == ([.rain], [.notConvertible]))
        #expect(try read([Weather].self, over: ["sun", [1]], default: [.rain]) == ([.rain], [.notConvertible]))
    }

    // Behavior 24.
    @Test func corruptJSONReadsAsDefault() throws {
        let garbage = StoredValue.data(Data("garbage".utf8))
        #expect(try read(CodableFrog?.self, over: garbage, default: nil) == (nil, [.readFailed]))
        let list = StoredValue.data(Data(#"[{"name":"a","weight":1},{"nom":"b"}]"#.utf8))
        #expect(try read([CodableFrog].self, over: list, default: []) == ([], [.readFailed]))
    }

    // Behavior 25.
    @Test func arrayWithElementOfWrongTypeReadsAsDefault() throws {
        #expect(try read([Int].self, over: [1, 2, "three"], default: [7]) == ([7], [.notConvertible]))
        #expect(try read([Int].self, over: [1, 2], default: [7]) == ([1, 2], []))
    }

    // Behavior 26.
    @Test func readingWritesNothingButWritingDefaultStoresValue() throws {
        let key = DefaultsKey<Int>("k", defaultValue: 7)
        let recording = RecordingStore(store)
        let adapter = DefaultsAdapter(store: recording, keyStore: DefaultsKeys())
        #expect(adapter[key: key] == 7)
        #expect(recording.writes.isEmpty && !adapter.hasKey(key))
        adapter[key: key] = 7
        #expect(recording.writes == [.set("k", 7)] && adapter.hasKey(key))
    }

    // Behavior 28.
    @Test func emptyArrayIsStoredAsValue() throws {
        let key = DefaultsKey<[String]?>("k")
        adapter[key: key] = []
        #expect(adapter.hasKey(key) && adapter[key: key] == [])
    }

    // Behavior 29.
    @Test func emptyAndDottedKeyNamesAreAccepted() throws {
        for name in ["a.b.c", "", "@a", "é", " "] {
            let key = DefaultsKey<Int>(name, defaultValue: 0)
            let told = Recorder<Int?>()
            let token = adapter.observe(key) { told.add($0.newValue) }
            adapter[key: key] = 3
            #expect(adapter[key: key] == 3 && told.all == [3])
            token.dispose()
        }
    }

    // Behavior 30.
    @Test func arraysOfArraysRoundTrip() throws {
        let key = DefaultsKey<[[Int]]>("k", defaultValue: [])
        adapter[key: key] = [[1], [], [2, 3]]
        #expect(try adapter.read(key) == [[1], [], [2, 3]])
    }

    // Behavior 31.
    @Test func urlsAndObjectsRoundTripAndPlainStructIsReported() throws {
        let page = try #require(URL(string: "https://example.com/a?b=1"))
        adapter[key: DefaultsKey<URL?>("url")] = page
        #expect(try adapter.read(DefaultsKey<URL?>("url")) == page)
        adapter[key: DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])] = [ArchivedFrog(name: "a")]
        #expect(try adapter.read(DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])) == [ArchivedFrog(name: "a")])
        let issues = issues { adapter[key: DefaultsKey<PlainFrog?>("plain")] = PlainFrog(name: "a") }
        #expect(issues.map(\.code) == [.unsupportedValue])
    }

    // Behavior 33.
    @Test func codableStringEnumIsStoredAsRawValue() throws {
        adapter[key: DefaultsKey<Level>("k", defaultValue: .low)] = .high
        #expect(try store.get("k") == "high")
        #expect(try store.verify().isIntact)
    }
}
