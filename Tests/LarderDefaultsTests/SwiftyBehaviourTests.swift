import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTesting
import Testing

/// What SwiftyUserDefaults does that its own suite does not say, numbers 19 to 33 of the reference.
///
/// For values of another type the conversion matrix wins over numbers 19 to 21: `Documentation/Decisions/0020*`.
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

    @Test func behaviour19AnIntKeyOverOtherKinds() throws {
        #expect(try read(Int.self, over: "hello", default: 7) == (7, [.notConvertible]))
        #expect(try read(Int.self, over: "42", default: 7) == (42, []))
        // Nothing is cut off silently.
        #expect(try read(Int.self, over: .double(2.7), default: 7) == (2, [.lossyConversion]))
        #expect(try read(Int.self, over: true, default: 7) == (1, []))
    }

    @Test func behaviour20BoolAndDoubleKeysOverOtherKinds() throws {
        #expect(try read(Double.self, over: "61.3", default: 7) == (61.3, []))
        #expect(try read(Double.self, over: 3, default: 7) == (3, []))
        #expect(try read(Bool.self, over: 1, default: false) == (true, []))
    }

    @Test func behaviour21StringAndDateKeysOverOtherKinds() throws {
        #expect(try read(String.self, over: 3, default: "d") == ("3", []))
        #expect(try read(String.self, over: .double(3.5), default: "d") == ("3.5", []))
        #expect(try read(String.self, over: [1], default: "d") == ("d", [.notConvertible]))
        #expect(try read(Date?.self, over: 3, default: nil) == (nil, [.notConvertible]))
    }

    @Test func behaviour22AnUnknownRawValueReadsAsTheDefaultAndStays() throws {
        #expect(try read(Weather.self, over: "fog", default: .sun) == (.sun, [.notConvertible]))
        #expect(adapter.hasKey(DefaultsKey<Weather>("k", defaultValue: .sun)))
    }

    @Test func behaviour23OneBadElementMakesTheWholeArrayUnreadable() throws {
        // SwiftyUserDefaults drops an unknown raw value and loses everything over a wrong type; here it is one rule.
        #expect(try read([Weather].self, over: ["sun", "fog"], default: [.rain]) == ([.rain], [.notConvertible]))
        #expect(try read([Weather].self, over: ["sun", [1]], default: [.rain]) == ([.rain], [.notConvertible]))
    }

    @Test func behaviour24CodableOverGarbageReadsAsTheDefault() throws {
        let garbage = StoredValue.data(Data("garbage".utf8))
        #expect(try read(CodableFrog?.self, over: garbage, default: nil) == (nil, [.readFailed]))
        let list = StoredValue.data(Data(#"[{"name":"a","weight":1},{"nom":"b"}]"#.utf8))
        #expect(try read([CodableFrog].self, over: list, default: []) == ([], [.readFailed]))
    }

    @Test func behaviour25AnArrayWithAWrongElementReadsAsTheDefaultAndAGoodOneIsRead() throws {
        #expect(try read([Int].self, over: [1, 2, "three"], default: [7]) == ([7], [.notConvertible]))
        #expect(try read([Int].self, over: [1, 2], default: [7]) == ([1, 2], []))
    }

    @Test func behaviour26ReadingWritesNothingAndAnEqualValueIsStored() throws {
        let key = DefaultsKey<Int>("k", defaultValue: 7)
        let recording = RecordingStore(store)
        let adapter = DefaultsAdapter(store: recording, keyStore: DefaultsKeys())
        #expect(adapter[key: key] == 7)
        #expect(recording.writes.isEmpty && !adapter.hasKey(key))
        adapter[key: key] = 7
        #expect(recording.writes == [.set("k", 7)] && adapter.hasKey(key))
    }

    @Test func behaviour28AnEmptyArrayIsAValue() throws {
        let key = DefaultsKey<[String]?>("k")
        adapter[key: key] = []
        #expect(adapter.hasKey(key) && adapter[key: key] == [])
    }

    @Test func behaviour29NamesWithDotsAndTheEmptyNameWork() throws {
        for name in ["a.b.c", "", "@a", "é", " "] {
            let key = DefaultsKey<Int>(name, defaultValue: 0)
            let told = Recorder<Int?>()
            let token = adapter.observe(key) { told.add($0.newValue) }
            adapter[key: key] = 3
            #expect(adapter[key: key] == 3 && told.all == [3])
            token.dispose()
        }
    }

    @Test func behaviour30ArraysOfArraysWork() throws {
        let key = DefaultsKey<[[Int]]>("k", defaultValue: [])
        adapter[key: key] = [[1], [], [2, 3]]
        #expect(try adapter.read(key) == [[1], [], [2, 3]])
    }

    @Test func behaviour31AddressesAndObjectsRoundTripAndAStructDoesNotEndTheProcess() throws {
        let page = try #require(URL(string: "https://example.com/a?b=1"))
        adapter[key: DefaultsKey<URL?>("url")] = page
        #expect(try adapter.read(DefaultsKey<URL?>("url")) == page)
        adapter[key: DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])] = [ArchivedFrog(name: "a")]
        #expect(try adapter.read(DefaultsKey<[ArchivedFrog]>("frogs", defaultValue: [])) == [ArchivedFrog(name: "a")])
        let issues = issues { adapter[key: DefaultsKey<PlainFrog?>("plain")] = PlainFrog(name: "a") }
        #expect(issues.map(\.code) == [.unsupportedValue])
    }

    @Test func behaviour33AnEnumWithATextThatIsCodableKeepsItsRawValue() throws {
        adapter[key: DefaultsKey<Level>("k", defaultValue: .low)] = .high
        #expect(try store.get("k") == "high")
        #expect(try store.verify().isIntact)
    }
}
