import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTesting
import Testing

/// Tests behaviors 19 to 33 of SwiftyUserDefaults, which its own tests do not cover.
///
/// For values of another type, Larder's conversion table takes precedence over behaviors 19 to 21.
struct SwiftyBehaviourTests {
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

    @Test func behavior19IntKeyReadsValuesOfOtherTypes() throws {
        #expect(try read(Int.self, over: "hello", default: 7) == (7, [.notConvertible]))
        #expect(try read(Int.self, over: "42", default: 7) == (42, []))
        // A lossy conversion is reported.
        #expect(try read(Int.self, over: .double(2.7), default: 7) == (2, [.lossyConversion]))
        #expect(try read(Int.self, over: true, default: 7) == (1, []))
    }

    @Test func behavior20BoolAndDoubleKeysReadValuesOfOtherTypes() throws {
        #expect(try read(Double.self, over: "61.3", default: 7) == (61.3, []))
        #expect(try read(Double.self, over: 3, default: 7) == (3, []))
        #expect(try read(Bool.self, over: 1, default: false) == (true, []))
    }

    @Test func behavior21StringAndDateKeysReadValuesOfOtherTypes() throws {
        #expect(try read(String.self, over: 3, default: "d") == ("3", []))
        #expect(try read(String.self, over: .double(3.5), default: "d") == ("3.5", []))
        #expect(try read(String.self, over: [1], default: "d") == ("d", [.notConvertible]))
        #expect(try read(Date?.self, over: 3, default: nil) == (nil, [.notConvertible]))
    }

    @Test func behavior22UnknownRawValueReadsAsTheDefaultAndIsNotChanged() throws {
        #expect(try read(Weather.self, over: "fog", default: .sun) == (.sun, [.notConvertible]))
        #expect(adapter.hasKey(DefaultsKey<Weather>("k", defaultValue: .sun)))
    }

    @Test func behavior23OneBadElementMakesTheWholeArrayUnreadable() throws {
        // SwiftyUserDefaults skips unknown raw values, but discards the whole array for a wrong type. Larder treats both cases alike.
        #expect(try read([Weather].self, over: ["sun", "fog"], default: [.rain]) == ([.rain], [.notConvertible]))
        #expect(try read([Weather].self, over: ["sun", [1]], default: [.rain]) == ([.rain], [.notConvertible]))
    }

    @Test func behavior24CorruptJSONReadsAsTheDefault() throws {
        let garbage = StoredValue.data(Data("garbage".utf8))
        #expect(try read(CodableFrog?.self, over: garbage, default: nil) == (nil, [.readFailed]))
        let list = StoredValue.data(Data(#"[{"name":"a","weight":1},{"nom":"b"}]"#.utf8))
        #expect(try read([CodableFrog].self, over: list, default: []) == ([], [.readFailed]))
    }

    @Test func behavior25ArrayWithAnElementOfTheWrongTypeReadsAsTheDefault() throws {
        #expect(try read([Int].self, over: [1, 2, "three"], default: [7]) == ([7], [.notConvertible]))
        #expect(try read([Int].self, over: [1, 2], default: [7]) == ([1, 2], []))
    }

    @Test func behavior26ReadingWritesNothingButWritingTheDefaultStoresIt() throws {
        let key = DefaultsKey<Int>("k", defaultValue: 7)
        let recording = RecordingStore(store)
        let adapter = DefaultsAdapter(store: recording, keyStore: DefaultsKeys())
        #expect(adapter[key: key] == 7)
        #expect(recording.writes.isEmpty && !adapter.hasKey(key))
        adapter[key: key] = 7
        #expect(recording.writes == [.set("k", 7)] && adapter.hasKey(key))
    }

    @Test func behavior28EmptyArrayIsStoredAsAValue() throws {
        let key = DefaultsKey<[String]?>("k")
        adapter[key: key] = []
        #expect(adapter.hasKey(key) && adapter[key: key] == [])
    }

    @Test func behavior29NamesWithDotsAndTheEmptyNameAreAccepted() throws {
        for name in ["a.b.c", "", "@a", "é", " "] {
            let key = DefaultsKey<Int>(name, defaultValue: 0)
            let told = Recorder<Int?>()
            let token = adapter.observe(key) { told.add($0.newValue) }
            adapter[key: key] = 3
            #expect(adapter[key: key] == 3 && told.all == [3])
            token.dispose()
        }
    }

    @Test func behavior30ArraysOfArraysRoundTrip() throws {
        let key = DefaultsKey<[[Int]]>("k", defaultValue: [])
        adapter[key: key] = [[1], [], [2, 3]]
        #expect(try adapter.read(key) == [[1], [], [2, 3]])
    }

    @Test func behavior31URLsAndObjectsRoundTripAndAStructDoesNotCrash() throws {
        let page = try #require(URL(string: "https://example.com/a?b=1"))
        adapter[key: DefaultsKey<URL?>("url")] = page
        #expect(try adapter.read(DefaultsKey<URL?>("url")) == page)
        adapter[key: DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])] = [ArchivedFrog(name: "a")]
        #expect(try adapter.read(DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])) == [ArchivedFrog(name: "a")])
        let issues = issues { adapter[key: DefaultsKey<PlainFrog?>("plain")] = PlainFrog(name: "a") }
        #expect(issues.map(\.code) == [.unsupportedValue])
    }

    @Test func behavior33CodableStringEnumIsStoredAsItsRawValue() throws {
        adapter[key: DefaultsKey<Level>("k", defaultValue: .low)] = .high
        #expect(try store.get("k") == "high")
        #expect(try store.verify().isIntact)
    }
}
