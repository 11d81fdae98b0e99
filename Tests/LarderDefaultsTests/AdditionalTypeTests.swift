import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestTraits
import Testing

struct AdditionalTypeTests {
    private enum Suit: String, DefaultsSerializable, DefaultsDictionaryKey { case hearts, spades }
    private struct LossyMood: DefaultsSerializable {
        static var _defaults: DefaultsBridge<Mood> { DefaultsRawRepresentableBridge() }
        static var _defaultsArray: DefaultsBridge<[Mood]> { DefaultsLossyArrayBridge(_defaults) }
    }

    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    private func expectStored<Value: DefaultsSerializable & Equatable>(
        _ value: Value,
        as stored: StoredValue,
        _ location: SourceLocation = #_sourceLocation
    ) throws where Value.T == Value {
        let key = DefaultsKey<Value?>("k")
        adapter[key: key] = value
        #expect(try store.get("k") == stored, sourceLocation: location)
        #expect(adapter[key: key] == value, sourceLocation: location)
        let list = DefaultsKey<[String: [Value?]]>("list", defaultValue: [:])
        adapter[key: list] = ["a": [value, nil]]
        #expect(try store.get("list") == ["a": [stored, .null]], sourceLocation: location)
        #expect(adapter[key: list] == ["a": [value, nil]], sourceLocation: location)
    }

    @Test func cgFloatDecimalAndUUIDAreStorable() throws {
        try expectStored(CGFloat(0.1), as: 0.1)
        let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        try expectStored(try #require(UUID(uuidString: text)), as: .string(text))
        try expectStored(try #require(Decimal(string: "-12345678901234567890.0001")), as: "-12345678901234567890.0001")
    }

    @Test func decimalIsReadOnlyFromNumbersAndNumericStrings() throws {
        let key = DefaultsKey<Decimal?>("k")
        try store.set(3, for: "k")
        #expect(adapter[key: key] == 3)
        try store.set(.unsigned(.max), for: "k")
        #expect(adapter[key: key] == Decimal(UInt64.max))
        for text in ["12abc", "🙂", "", "1,5"] {
            try store.set(.string(text), for: "k")
            let reported = issues { #expect(adapter[key: key] == nil) }
            #expect(reported.map(\.code) == [.readFailed])
        }
    }

    // Behavior 47.
    @Test func rangesAreStoredAsBounds() throws {
        try expectStored(1..<5, as: [1, 5])
        try expectStored("a"..."c", as: ["a", "c"])
        try expectStored(0.5...0.5, as: [0.5, 0.5])
    }

    @Test func reversedRangeBoundsCannotBeDecoded() throws {
        for stored: StoredValue in [[5, 1], [1], [1, 2, 3], []] {
            try store.set(stored, for: "k")
            let reported = issues {
                #expect(adapter[key: DefaultsKey<Range<Int>?>("k")] == nil)
                #expect(adapter[key: DefaultsKey<ClosedRange<Int>?>("k")] == nil)
            }
            #expect(reported.map(\.code) == [.readFailed, .readFailed])
        }
    }

    @Test func setIsStoredAsArrayInStableOrder() throws {
        try expectStored(Set([3, 1, 2]), as: [1, 2, 3])
        try expectStored([Set<String>](), as: [])
        try expectStored(Set([["b"], ["a"]]), as: [["a"], ["b"]])
    }

    // Behavior 46.
    @Test func dictionariesAcceptStringConvertibleKeys() throws {
        try expectStored([1: "a", -2: "b"], as: ["1": "a", "-2": "b"])
        try expectStored([UInt8(7): true], as: ["7": true])
        try expectStored([Suit.spades: 1], as: ["spades": 1])
        let id = UUID()
        try expectStored([id: 1.5], as: .dictionary(StoredDictionary([(id.uuidString, .double(1.5))])))
    }

    @Test func dictionaryWithInvalidKeyCannotBeDecoded() throws {
        for text in ["x", "01", "+1", "1e3", "99999999999999999999"] {
            try store.set(.dictionary(StoredDictionary([(text, .int(1))])), for: "k")
            let reported = issues { #expect(adapter[key: DefaultsKey<[Int: Int]?>("k")] == nil) }
            #expect(reported.map(\.code) == [.readFailed])
        }
        try store.set(["clubs": 1], for: "k")
        let reported = issues { #expect(adapter[key: DefaultsKey<[Suit: Int]?>("k")] == nil) }
        #expect(reported.count == 1)
    }

    // Behavior 45.
    @Test func nestedContainersCanBeMutatedInPlace() {
        let key = DefaultsKey<[String: [String: [String: Int]]]>("k", defaultValue: [:])
        adapter[key: key]["a", default: [:]]["b", default: [:]]["c", default: 0] += 2
        #expect(adapter[key: key] == ["a": ["b": ["c": 2]]])
        let sets = DefaultsKey<[Set<Int>]>("sets", defaultValue: [[1]])
        adapter[key: sets][0].insert(2)
        #expect(adapter[key: sets] == [[1, 2]])
    }

    // Behavior 48.
    @Test func emptyAndExtremeValuesRoundTrip() throws {
        try expectStored(Int.max, as: .int(.max))
        try expectStored(-Double.infinity, as: .double(-.infinity))
        try expectStored(Double.greatestFiniteMagnitude, as: .double(.greatestFiniteMagnitude))
        adapter[key: DefaultsKey<Double>("nan", defaultValue: 0)] = .nan
        #expect(adapter[key: DefaultsKey<Double>("nan", defaultValue: 0)].isNaN)
        try expectStored("", as: "")
        try expectStored([Int](), as: [])
        try expectStored([String: Int](), as: [:])
        try expectStored("e\u{301}\u{0}\u{FEFF}\u{1F642}", as: "e\u{301}\u{0}\u{FEFF}\u{1F642}")
        let long = String(repeating: "x", count: 100_000)
        try expectStored(long, as: .string(long))
        adapter[key: DefaultsKey<[Int]>("many", defaultValue: [])] = Array(0..<10_000)
        #expect(adapter[key: DefaultsKey<[Int]>("many", defaultValue: [])].count == 10_000)
        let bytes = Data(count: 10_000_000)
        adapter[key: DefaultsKey<Data?>("bytes")] = bytes
        #expect(adapter[key: DefaultsKey<Data?>("bytes")] == bytes)
    }

    @Test(.expectsIssues(.lossyConversion)) func lossyArraySkipsUndecodableElements() throws {
        let key = DefaultsKey<[LossyMood]>("moods", defaultValue: [])
        try store.set(["calm", "furious", 3, "loud"], for: "moods")
        let reported = issues { #expect(adapter[key: key] == [.calm, .loud]) }
        #expect(reported.map(\.code) == [.lossyConversion])
        adapter[key: key].append(.calm)
        #expect(try store.get("moods") == ["calm", "loud", "calm"])
        try store.set(3, for: "moods")
        let other = issues { #expect(adapter[key: key].isEmpty) }
        #expect(other.map(\.code) == [.notConvertible])
    }
}
