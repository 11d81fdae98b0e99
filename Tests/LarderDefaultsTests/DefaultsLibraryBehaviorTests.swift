import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

extension DefaultsKeys {
    fileprivate var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    fileprivate var name: DefaultsKey<String?> { .init("name") }
}

/// Tests behaviors 34 to 58 of the Defaults library, unless another suite covers them.
struct DefaultsLibraryBehaviorTests {
    /// A type that is both `Codable` and raw representable, and that chooses JSON as its stored form.
    private struct Both: Codable, Equatable, DefaultsSerializable {
        var hour = 1
        var minute = 2
    }

    private enum RawAsJSON: String, Codable, DefaultsSerializable {
        case x
        static var _defaults: DefaultsBridge<RawAsJSON> { DefaultsCodableBridge() }
    }

    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    // Behavior 34.
    @Test func defaultsAreRegisteredOnlyOnRequest() throws {
        let key = DefaultsKey<Int>("registered", defaultValue: 3)
        #expect(adapter.defaults.object(forKey: "registered") == nil)
        try adapter.registerDefaults(key, DefaultsKey<Int?>("none"))
        #expect(adapter.defaults.integer(forKey: "registered") == 3)
        #expect(adapter.defaults.object(forKey: "none") == nil)
        #expect(try store.count() == 0)
    }

    // Behavior 37.
    @Test func anyStringIsValidKeyName() throws {
        for name in ["", " ", ".", "@", "a.b", "@a", "日本"] {
            adapter[key: DefaultsKey<Int>(name, defaultValue: 0)] = 1
            #expect(try store.get(StoreKey(name)) == 1)
        }
    }

    // Behavior 40.
    @Test func adaptersOfDifferentStoresAreIsolated() throws {
        let other = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
        (adapter.count, other.count) = (1, 2)
        adapter.removeAll()
        #expect(adapter.count == 0 && other.count == 2)
        // Registered values are isolated, too, although Foundation shares them among all objects.
        try adapter.registerDefaults(DefaultsKey<Int>("shared", defaultValue: 5))
        #expect(other.defaults.object(forKey: "shared") == nil)
    }

    // Behavior 41.
    @Test func rawValueIsStoredUnlessTypePrefersJSON() throws {
        adapter[key: DefaultsKey<RawAsJSON?>("json")] = .x
        #expect(try store.get("json") == .data(Data("\"x\"".utf8)))
        adapter[key: DefaultsKey<Size?>("raw")] = .small
        #expect(try store.get("raw") == 1)
    }

    // Behavior 42.
    @Test func typeConformingToCodableAndNSCodingChoosesStoredForm() throws {
        // A type that adopts both protocols without a preference does not compile, as CompilationTests checks. This type chose JSON.
        adapter[key: DefaultsKey<Both?>("both")] = Both()
        #expect(try store.get("both") == .data(Data(#"{"hour":1,"minute":2}"#.utf8)))
        adapter[key: DefaultsKey<SecureFrog?>("frog")] = SecureFrog(name: "a")
        #expect(try store.get("frog")?.kind == .data)
    }

    // Behavior 43.
    @Test func undecodableValueReadsAsDefault() throws {
        try store.set(.data(Data([0xFF])), for: "both")
        let issues = issues { #expect(adapter[key: DefaultsKey<Both>("both", defaultValue: Both(hour: 9))].hour == 9) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    // Behavior 44.
    @Test func nestedContainersRoundTrip() throws {
        let key = DefaultsKey<[String: [Both]]>("nested", defaultValue: [:])
        adapter[key: key] = ["a": [Both(), Both(hour: 3)]]
        let json = Data(#"[{"hour":1,"minute":2},{"hour":3,"minute":2}]"#.utf8)
        #expect(try store.get("nested") == .dictionary(["a": .data(json)]))
        #expect(try adapter.read(key) == ["a": [Both(), Both(hour: 3)]])
    }

    // Behavior 49.
    @Test(.expectsIssues(.conflictingKeys)) func integersOfEveryWidthRoundTripInSets() throws {
        func check<Value: FixedWidthInteger & DefaultsSerializable>(_ type: Value.Type) throws where Value.T == Value {
            let key = DefaultsKey<Set<Value>>("set", defaultValue: [])
            adapter[key: key] = [.min, 0, 1, .max]
            #expect(try adapter.read(key) == [.min, 0, 1, .max])
        }
        try check(Int8.self)
        try check(UInt8.self)
        try check(Int16.self)
        try check(UInt16.self)
        try check(Int32.self)
        try check(UInt32.self)
        try check(Int64.self)
        try check(UInt64.self)
        // A value of the wrong type reads as nil, and setting nil restores the default.
        try store.set([1], for: "name")
        withIssueHandler({ _ in }) { #expect(adapter.name == nil) }
        adapter.name = nil
        #expect(try store.get("name") == nil)
    }

    private final class Owner {}

    // Behavior 51.
    @Test func observationEndsWhenTiedObjectIsReleased() throws {
        let told = Recorder<Int?>()
        var owner: Owner? = Owner()
        try adapter.observe(\.count) { told.add($0.newValue) }.tieToLifetime(of: #require(owner))
        adapter.count = 1
        #expect(told.all == [1])
        owner = nil
        adapter.count = 2
        #expect(told.all == [1])
        #expect(owner == nil)
    }

    // Behavior 51.
    @Test func untiedObservationEndsWhenReleased() throws {
        let told = Recorder<Int?>()
        var owner: Owner? = Owner()
        let token = adapter.observe(\.count) { told.add($0.newValue) }
        try token.tieToLifetime(of: #require(owner))
        token.removeLifetimeTie()
        owner = nil
        adapter.count = 1
        #expect(told.all == [1])
        token.dispose()
    }

    // Behavior 53.
    @Test func writesWithoutPropagationDoNotNotifyHandler() {
        let adapter = adapter
        let (told, others) = (Recorder<Int?>(), Recorder<Int?>())
        let token = adapter.observe(\.count) { update in
            told.add(update.newValue)
            adapter.withoutPropagation { adapter.count += 100 }
        }
        let other = adapter.observe(\.count) { others.add($0.newValue) }
        adapter.count = 1
        #expect(adapter.count == 101)
        #expect(told.all == [1])
        adapter.count = 2
        #expect(adapter.count == 102)
        #expect(told.all == [1, 2])
        #expect(others.all == [1, 101, 2, 102])
        token.dispose()
        other.dispose()
    }

    // Behavior 53.
    @Test func transactionsWithoutPropagationDoNotNotifyHandler() throws {
        let adapter = adapter
        let told = Recorder<Int>()
        let token = adapter.observe(keys: DefaultsKeys().count, DefaultsKeys().name) { count, _ in
            told.add(count)
            adapter.withoutPropagation {
                _ = try? adapter.transaction { transaction in
                    transaction.count = 50
                    transaction.name = "a"
                }
                adapter.remove(\.name)
            }
        }
        adapter.count = 1
        #expect(adapter.count == 50 && adapter.name == nil)
        #expect(told.all == [1])
        token.dispose()
    }

    // Behavior 53.
    @Test func changeAfterEqualWriteIsDelivered() {
        let adapter = adapter
        let told = Recorder<Int?>()
        let token = adapter.observe(\.count) { update in
            told.add(update.newValue)
            adapter.withoutPropagation { adapter.count = 7 }
        }
        adapter.count = 7
        adapter.count = 8
        adapter.count = 9
        #expect(told.all == [7, 8, 9])
        token.dispose()
    }

    // Behavior 56.
    @Test func changesIncludeEachWriteAndRemovalButNoReads() async {
        // Larder has no iCloud synchronizer, but one that uses `changes()` would need three rules. Reading a default is not a change, each
        // local write or removal is one change, and a burst of writes ends with the last one.
        var changes = adapter.changes().makeAsyncIterator()
        _ = adapter.count
        adapter.count = 1
        adapter.remove(\.count)
        for number in 2...50 { adapter.count = number }
        var news: [Int?] = []
        while news.count < 51, let change = await changes.next() {
            if let update = change.update(of: DefaultsKeys().count) { news.append(update.newValue) }
        }
        #expect(news == [1, 0] + (2...50).map { $0 })
    }

    // Behavior 58.
    @Test func lastOfThousandWritersWins() async throws {
        let adapter = adapter
        await withTaskGroup(of: Void.self) { group in
            for number in 1...1_000 { group.addTask { adapter.count = number } }
        }
        #expect(1...1_000 ~= adapter.count)
        await withTaskGroup(of: Void.self) { group in
            for number in 1...200 {
                group.addTask { number.isMultiple(of: 2) ? adapter.count = number : adapter.reset(\.count) }
            }
        }
        #expect(0...200 ~= adapter.count)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { adapter[key: DefaultsKey<Int>("key\(number)", defaultValue: -1)] = number }
            }
        }
        for number in 0..<100 { #expect(try store.get("key\(number)") == .int(Int64(number))) }
        #expect(try store.verify().isIntact)
    }
}
