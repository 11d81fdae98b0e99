import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

/// A bridge written as for SwiftyUserDefaults 5, with `get`, `save` and `deserialize` but without `isSerialized`.
private final class NewtBridge: DefaultsBridge<Newt> {
    override func get(key: String, userDefaults: UserDefaults) -> Newt? {
        userDefaults.string(forKey: key).flatMap(deserialize)
    }
    override func save(key: String, value: Newt?, userDefaults: UserDefaults) {
        userDefaults.set(value?.name, forKey: key)
    }
    override func deserialize(_ object: Any) -> Newt? { (object as? String).map(Newt.init) }
}

private struct Newt: DefaultsSerializable, Equatable, Sendable {
    static var _defaults: DefaultsBridge<Newt> { NewtBridge() }
    let name: String
}

/// A bridge that changes a value without changing its type.
private final class ShoutingBridge: DefaultsStringBridge {
    override func get(key: String, userDefaults: UserDefaults) -> String? {
        super.get(key: key, userDefaults: userDefaults)?.uppercased()
    }
}

private enum Shout: DefaultsSerializable { static var _defaults: DefaultsBridge<String> { ShoutingBridge() } }

/// A bridge that stores one value under two names.
private final class PairBridge: DefaultsBridge<[Int]> {
    override func get(key: String, userDefaults: UserDefaults) -> [Int]? {
        userDefaults.object(forKey: key) == nil
            ? nil : [userDefaults.integer(forKey: key), userDefaults.integer(forKey: key + ".second")]
    }
    override func save(key: String, value: [Int]?, userDefaults: UserDefaults) {
        userDefaults.set(value?.first, forKey: key)
        userDefaults.set(value?.last, forKey: key + ".second")
    }
}

private enum Pair: DefaultsSerializable { static var _defaults: DefaultsBridge<[Int]> { PairBridge() } }

/// Tests that observers receive the same values as readers for every form of bridge.
struct DeserializingBridgeTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    @Test func observerReceivesDeserializedValuesIfBridgeOmitsIsSerialized() {
        let updates = Recorder<[Newt?]>()
        let key = DefaultsKey<Newt>("newt", defaultValue: Newt(name: "default"))
        let token = adapter.observe(key, options: [.initial, .old, .new]) { updates.add([$0.oldValue, $0.newValue]) }
        adapter[key: key] = Newt(name: "a")
        adapter[key: key] = Newt(name: "b")
        adapter.remove(key)
        #expect(
            updates.all.map { $0.map { $0?.name } } == [
                ["default", "default"], ["default", "a"], ["a", "b"], ["b", "default"],
            ]
        )
        token.dispose()
    }

    @Test func observerReceivesDeserializedOptionalsAndArrays() {
        let (optionals, lists) = (Recorder<[Newt??]>(), Recorder<[[Newt]?]>())
        let (optional, list) = (DefaultsKey<Newt?>("newt"), DefaultsKey<[Newt]>("newts", defaultValue: []))
        let tokens = [
            adapter.observe(optional) { optionals.add([$0.oldValue, $0.newValue]) },
            adapter.observe(list) { lists.add([$0.oldValue, $0.newValue]) },
        ]
        adapter[key: optional] = Newt(name: "a")
        adapter[key: list] = [Newt(name: "a"), Newt(name: "b")]
        #expect(optionals.all.map { $0.map { ($0 ?? nil)?.name } } == [[nil, "a"]])
        #expect(lists.all == [[[], [Newt(name: "a"), Newt(name: "b")]]])
        for token in tokens { token.dispose() }
    }

    @Test func sequenceYieldsDeserializedValuesIfBridgeOmitsIsSerialized() async {
        let key = DefaultsKey<Newt>("newt", defaultValue: Newt(name: "default"))
        adapter[key: key] = Newt(name: "a")
        var updates = adapter.updates(key).makeAsyncIterator()
        adapter[key: key] = Newt(name: "b")
        #expect(await updates.next() == Newt(name: "a"))
        #expect(await updates.next() == Newt(name: "b"))
    }

    @Test func observersReceiveValuesDecodedByBuiltInBridgeSubclass() {
        let texts = Recorder<String?>()
        let key = DefaultsKey<Shout>("shout", defaultValue: "")
        let token = adapter.observe(key) { texts.add($0.newValue) }
        adapter[key: key] = "quiet"
        #expect(adapter[key: key] == "QUIET")
        #expect(texts.all == ["QUIET"])
        token.dispose()
    }

    @Test func bridgeStoringTwoKeysSupportsObservationAndInPlaceMutation() throws {
        let key = DefaultsKey<Pair>("pair", defaultValue: [0, 0])
        adapter[key: key] = [1, 2]
        let pairs = Recorder<[Int]?>()
        let token = adapter.observe(key) { pairs.add($0.newValue) }
        adapter[key: key][0] = 5
        #expect(adapter[key: key] == [5, 2])
        #expect(pairs.all == [[5, 2]])
        try adapter.modify(key) { $0[1] = 6 }
        #expect(adapter[key: key] == [5, 6])
        token.dispose()
        #expect(try store.verify().isIntact)
    }

    @Test func valueUnreadableByBridgeIsReportedOnce() throws {
        let key = DefaultsKey<Newt>("newt", defaultValue: Newt(name: "default"))
        try store.set([1], for: "newt")
        let found = issues { #expect(adapter[key: key].name == "default") }
        #expect(found.map(\.code) == [.notConvertible])
    }
}
