import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

private struct Bag: DefaultsCollectionSerializable, Equatable {
    private var elements: [String]
    init(_ elements: [String]) { self.elements = elements }
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    func index(after index: Int) -> Int { elements.index(after: index) }
    subscript(position: Int) -> String { elements[position] }
}

private struct CodableBag: DefaultsCollectionSerializable, Codable {
    var elements: [Int]
    init(_ elements: [Int]) { self.elements = elements }
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    func index(after index: Int) -> Int { elements.index(after: index) }
    subscript(position: Int) -> Int { elements[position] }
}

private struct Tags: DefaultsSetAlgebraSerializable, Codable {
    var names = Set<String>()
    init() {}
    func toArray() -> [String] { names.sorted() }
    func contains(_ member: String) -> Bool { names.contains(member) }
    @discardableResult
    mutating func insert(_ member: String) -> (inserted: Bool, memberAfterInsert: String) { names.insert(member) }
    mutating func remove(_ member: String) -> String? { names.remove(member) }
    mutating func update(with member: String) -> String? { names.update(with: member) }
    func union(_ other: Tags) -> Tags { Tags(names.union(other.names)) }
    func intersection(_ other: Tags) -> Tags { Tags(names.intersection(other.names)) }
    func symmetricDifference(_ other: Tags) -> Tags { Tags(names.symmetricDifference(other.names)) }
    mutating func formUnion(_ other: Tags) { names.formUnion(other.names) }
    mutating func formIntersection(_ other: Tags) { names.formIntersection(other.names) }
    mutating func formSymmetricDifference(_ other: Tags) { names.formSymmetricDifference(other.names) }
}

private struct Days: OptionSet, DefaultsSerializable {
    let rawValue: Int
    static let monday = Days(rawValue: 1)
    static let friday = Days(rawValue: 16)
}

/// A class that adopts `Codable` and `NSCoding`, and prefers JSON as its stored form.
final class JSONToad: NSObject, NSCoding, Codable, DefaultsPreferCodable {
    var name = "a"
    override init() {}
    init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? String ?? "" }
    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }
}

/// A class that adopts `Codable` and `NSCoding`, and prefers a keyed archive as its stored form.
final class ArchivedToad: NSObject, NSCoding, Codable, DefaultsPreferNSCoding {
    var name = "a"
    override init() {}
    init?(coder: NSCoder) { name = coder.decodeObject(forKey: "name") as? String ?? "" }
    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }
}

private enum JSONLevel: String, DefaultsPreferCodable { case low, high }

extension DefaultsKeys {
    fileprivate var anything: DefaultsKey<DefaultsAnyDictionary> { .init("anything", defaultValue: [:]) }
    fileprivate var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
}

/// Tests types and bridges as they occur in code that was written for SwiftyUserDefaults or Defaults.
struct PortedTypeTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    @Test func dictionaryOfAnyValuesIsStoredUnchanged() throws {
        adapter.anything["name"] = "Ada"
        adapter.anything["tags"] = ["a", "b"]
        adapter.anything["nested"] = ["count": 3]
        #expect(adapter.anything["name"] as? String == "Ada")
        #expect(adapter.anything["tags"] as? [String] == ["a", "b"])
        #expect(try store.get("anything") == ["name": "Ada", "tags": ["a", "b"], "nested": ["count": 3]])
        let found = issues { adapter.anything["opaque"] = JSONLevel.low }
        #expect(found.map(\.code) == [.unsupportedValue])
        #expect(adapter.anything.count == 3)
        let list = DefaultsKey<[DefaultsAnyDictionary]?>("list")
        adapter[key: list] = [["a": 1], ["b": "c"]]
        #expect(adapter[key: list]?.last?["b"] as? String == "c")
        #expect(try adapter.read(list)?.count == 2)
        adapter[key: list] = nil
        #expect(!adapter.hasKey(list))
        #expect(try store.verify().isIntact)
    }

    @Test func customCollectionIsStoredAsArray() throws {
        let key = DefaultsKey<Bag>("bag", defaultValue: Bag([]))
        adapter[key: key] = Bag(["a", "b"])
        #expect(try store.get("bag") == ["a", "b"])
        #expect(try adapter.read(key) == Bag(["a", "b"]))
        let bags = DefaultsKey<[Bag]?>("bags")
        adapter[key: bags] = [Bag(["a"]), Bag([])]
        #expect(try adapter.read(bags) == [Bag(["a"]), Bag([])])
        adapter[key: DefaultsKey<CodableBag?>("codable")] = CodableBag([1])
        #expect(try store.get("codable") == [1])
    }

    @Test func customSetAlgebraIsStoredAsArray() throws {
        let key = DefaultsKey<Tags>("tags", defaultValue: [])
        adapter[key: key].insert("b")
        adapter[key: key].insert("a")
        #expect(try store.get("tags") == ["a", "b"])
        #expect(try adapter.read(key) == ["b", "a"])
        let many = DefaultsKey<[String: Tags]?>("many")
        adapter[key: many] = ["x": ["a"]]
        #expect(try adapter.read(many) == ["x": ["a"]])
        adapter[key: DefaultsKey<Days?>("days")] = [.monday, .friday]
        #expect(try store.get("days") == 17)
        #expect(try store.verify().isIntact)
    }

    @Test func anyValueIsReadAsStoredType() throws {
        let key = DefaultsKey<[String: DefaultsAnySerializable]>("any", defaultValue: [:])
        adapter[key: key] = ["count": 3, "name": "Ada", "on": true, "list": [1, 2.5], "nested": ["a": 1]]
        #expect(adapter[key: key]["count"]?.get(Int.self) == 3)
        #expect(adapter[key: key]["count"]?.get(Int8.self) == 3)
        #expect(adapter[key: key]["count"]?.get(String.self) == nil)
        #expect(adapter[key: key]["name"]?.get() == "Ada")
        #expect(adapter[key: key]["name"]?.get(Int.self) == nil)
        #expect(adapter[key: key]["nested"]?.get([String: Int].self) == ["a": 1])
        adapter[key: key]["frog"] = try DefaultsAnySerializable(CodableFrog(name: "a"))
        #expect(adapter[key: key]["frog"]?.get(CodableFrog.self) == CodableFrog(name: "a"))
        #expect(throws: CoreError.NotFound.self) { try adapter[key: key]["name"]?.value(as: Int.self) }
        #expect(throws: (any Error).self) { try DefaultsAnySerializable(CodableFrog(name: "a", weight: .nan)) }
        let set = DefaultsKey<Set<DefaultsAnySerializable>>("set", defaultValue: [])
        adapter[key: set] = [1, "1", true, 1.5]
        #expect(try adapter.read(set) == [1, "1", true, 1.5])
        let whole = DefaultsKey<DefaultsAnySerializable?>("whole")
        adapter[key: whole] = 7
        #expect(try store.get("whole") == 7)
        adapter[key: whole] = nil
        #expect(try store.get("whole") == nil)
    }

    @Test func classConformingToCodableAndNSCodingChoosesStoredForm() throws {
        adapter[key: DefaultsKey<JSONToad?>("json")] = JSONToad()
        #expect(try store.get("json") == .data(Data(#"{"name":"a"}"#.utf8)))
        adapter[key: DefaultsKey<ArchivedToad?>("archive")] = ArchivedToad()
        guard case .data(let bytes)? = try store.get("archive") else { throw CoreError.Failed("Nothing is stored.") }
        #expect(bytes.starts(with: Data("bplist".utf8)))
        #expect(adapter[key: DefaultsKey<ArchivedToad?>("archive")]?.name == "a")
        adapter[key: DefaultsKey<JSONLevel?>("level")] = .high
        #expect(try store.get("level") == .data(Data(#""high""#.utf8)))
    }

    @Test func keyTypeIsInferredFromDefault() throws {
        let count = DefaultsKey("count", defaultValue: 3)
        let names = DefaultsKey("names", defaultValue: ["a"])
        let weather = DefaultsKey("weather", defaultValue: Weather.sun)
        let maybe = DefaultsKey("maybe", defaultValue: Int?.none)
        let since = DefaultsKey("since", dynamicDefault: { Date.distantPast })
        let volume = DefaultsKey("volume", was: "loudness", defaultValue: 0.5, validation: .clamp(to: 0...1))
        adapter[key: count] += 1
        adapter[key: names].append("b")
        adapter[key: weather] = .rain
        adapter[key: maybe] = 4
        adapter[key: volume] = 7
        #expect(adapter[key: count] == 4 && adapter[key: names] == ["a", "b"] && adapter[key: weather] == .rain)
        #expect(adapter[key: maybe] == 4 && adapter[key: since] == .distantPast && adapter[key: volume] == 1)
    }

    // MARK: - Bridges

    /// A bridge that is returned by a `_defaults` property whose type is this class.
    private final class NameBridge: DefaultsBridge<Named> {
        override func get(key: String, userDefaults: UserDefaults) -> Named? {
            userDefaults.string(forKey: key).map { Named(name: $0) }
        }
        override func save(key: String, value: Named?, userDefaults: UserDefaults) {
            userDefaults.set(value?.name, forKey: key)
        }
    }

    private struct Named: Codable, Equatable, DefaultsSerializable {
        static var _defaults: NameBridge { NameBridge() }
        let name: String
    }

    @Test func arbitraryClassCanHaveBridge() throws {
        try store.set("Ada", for: "named")
        let key = DefaultsKey<Named?>("named")
        #expect(adapter[key: key] == Named(name: "Ada"))
        adapter[key: key] = Named(name: "Bob")
        #expect(try store.get("named") == "Bob")
        let list = DefaultsKey<[Named]>("list", defaultValue: [])
        adapter[key: list] = [Named(name: "a")]
        #expect(try store.get("list") == ["a"])
        #expect(try adapter.read(list) == [Named(name: "a")])
    }

    private final class ShoutBridge: DefaultsStringBridge {
        override func get(key: String, userDefaults: UserDefaults) -> String? {
            super.get(key: key, userDefaults: userDefaults)?.uppercased()
        }
    }

    private enum Shout: DefaultsSerializable { static var _defaults: ShoutBridge { ShoutBridge() } }

    @Test func subclassOfBuiltInBridgeEncodesArrayElements() throws {
        let list = DefaultsKey<[Shout]>("list", defaultValue: [])
        adapter[key: list] = ["a"]
        #expect(adapter[key: list] == ["A"])
        let entries = DefaultsKey<[String: Shout]>("entries", defaultValue: [:])
        adapter[key: entries] = ["k": "a"]
        #expect(adapter[key: entries] == ["k": "A"])
    }

    // MARK: - Replacing an adapter

    /// A mock that implements only the required members.
    private final class Mock: DefaultsProviding {
        private var values: [String: Any] = [:]

        subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
            get { values[key._key] as? Value.T ?? key.defaultValue }
            set { values[key._key] = newValue }
        }
        func hasKey<Value>(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) -> Bool {
            values[keyStore[keyPath: keyPath]._key] != nil
        }
        func remove<Value>(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
            values[keyStore[keyPath: keyPath]._key] = nil
        }
        func removeAll() { values = [:] }
    }

    @Test func mockDefaultsNeedOnlyOneSubscriptAndThreeMethods() {
        func launch(_ defaults: some DefaultsProviding<DefaultsKeys>) {
            defaults[\.count] += 1
            defaults.count += 1
            defaults[key: DefaultsKeys().count] += 1
        }
        let mock = Mock()
        launch(mock)
        #expect(mock.count == 3 && mock.hasKey(\.count))
        let any: any DefaultsProviding<DefaultsKeys> = mock
        any.count = 7
        #expect(any[\.count] == 7)
        mock.remove(\.count)
        #expect(!mock.hasKey(\.count))
        launch(adapter)
        #expect(adapter.count == 3)
    }
}
