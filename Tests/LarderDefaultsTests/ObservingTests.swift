import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

extension DefaultsKeys {
    fileprivate var count: DefaultsKey<Int> { .init("count", defaultValue: 0) }
    fileprivate var name: DefaultsKey<String?> { .init("na.me") }
    fileprivate var flag: DefaultsKey<Bool> { .init("flag", defaultValue: true) }
    fileprivate var maybe: DefaultsKey<Bool?> { .init("maybe") }
}

struct ObservingTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    // Behavior 50.
    @Test func eachUpdateHasOldAndNewValue() {
        let pairs = Recorder<[Bool?]>()
        let token = adapter.observe(\.maybe) { pairs.add([$0.oldValue ?? nil, $0.newValue ?? nil]) }
        adapter.maybe = true
        adapter.maybe = false
        adapter.maybe = nil
        #expect(pairs.all == [[nil, true], [true, false], [false, nil]])
        token.dispose()
        let flags = Recorder<[Bool?]>()
        adapter.flag = false
        let other = adapter.observe(\.flag) { flags.add([$0.oldValue, $0.newValue]) }
        adapter.flag = true
        adapter.flag = false
        adapter.reset(\.flag)
        #expect(flags.all == [[false, true], [true, false], [false, true]])
        other.dispose()
    }

    // Behavior 51.
    @Test func allObserversOfKeyAreNotified() {
        let (first, second) = (Recorder<Int?>(), Recorder<Int?>())
        let one = adapter.observe(\.count) { first.add($0.newValue) }
        let two = adapter.observe(\.count) { second.add($0.newValue) }
        adapter.count = 1
        one.dispose()
        adapter.count = 2
        #expect(first.all == [1])
        #expect(second.all == [1, 2])
        two.dispose()
    }

    // Behavior 52.
    @Test func everyUpdateIsDelivered() {
        let calls = Recorder<Int?>()
        let tokens = (0..<10).map { _ in adapter.observe(\.count) { calls.add($0.newValue) } }
        for number in 1...10 { adapter.count = number }
        #expect(calls.all.count == 100)
        for token in tokens { token.dispose() }
    }

    // Behavior 52.
    @Test func concurrentWritesAreDeliveredInOrder() async throws {
        let pairs = Recorder<[Int?]>()
        let adapter = adapter
        let token = adapter.observe(\.count) { pairs.add([$0.oldValue, $0.newValue]) }
        await withTaskGroup(of: Void.self) { group in
            for start in 0..<8 {
                group.addTask { for round in 0..<50 { adapter.count = start * 100 + round + 1 } }
            }
        }
        try await waitUntil { pairs.all.last?[1] == adapter.count }
        #expect(pairs.all.count == 400)
        #expect(zip(pairs.all, pairs.all.dropFirst()).allSatisfy { $0[1] == $1[0] })
        token.dispose()
    }

    // Behavior 53.
    @Test func writeInHandlerIsDeliveredAfterHandlerReturns() {
        let adapter = adapter
        let log = Recorder<String>()
        let token = adapter.observe(\.count) { update in
            log.add("begin \(update.newValue ?? -1)")
            if let value = update.newValue, value < 3 { adapter.count = value + 1 }
            log.add("end \(update.newValue ?? -1)")
        }
        adapter.count = 1
        #expect(log.all == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
        token.dispose()
    }

    // Behavior 54.
    @Test func updatesBeginWithCurrentValue() async {
        var updates = adapter.updates(\.count).makeAsyncIterator()
        var later = adapter.updates(\.count, initial: false).makeAsyncIterator()
        #expect(await updates.next() == 0)
        adapter.count = 1
        adapter.flag = false
        adapter.count = 2
        #expect(await updates.next() == 1)
        #expect(await updates.next() == 2)
        #expect(await later.next() == 1)
        #expect(await later.next() == 2)
    }

    // Behavior 54.
    @Test func updatesOfSeveralKeysAreTuplesOfValues() async throws {
        var updates = adapter.updates(\.count, \.name, \.flag).makeAsyncIterator()
        let first = try #require(await updates.next())
        #expect(first == (0, nil, true))
        try adapter.transaction { transaction in
            transaction.count = 4
            transaction.name = "Ada"
        }
        adapter.flag = false
        let second = try #require(await updates.next())
        #expect(second == (4, "Ada", true))
        let third = try #require(await updates.next())
        #expect(third == (4, "Ada", false))
    }

    // Behavior 55.
    @Test func observerCanDisposeItselfInFirstCall() {
        final class Holder: Sendable {
            let token = Mutex<(any DefaultsDisposable)?>(nil)
        }
        let holder = Holder()
        let calls = Recorder<Int?>()
        let token = adapter.observe(\.count, options: [.initial, .new]) { update in
            calls.add(update.newValue)
            holder.token.withLock { $0 }?.dispose()
        }
        holder.token.withLock { $0 = token }
        adapter.count = 1
        adapter.count = 2
        #expect(calls.all == [0, 1])
        holder.token.withLock { $0 = nil }
    }

    @Test func transactionIsDeliveredAsSingleUpdate() throws {
        let values = Recorder<String>()
        let changes = Recorder<[String]>()
        let token = adapter.observe(keys: DefaultsKeys().count, DefaultsKeys().name, initial: true) { count, name in
            values.add("\(count) \(name ?? "none")")
        }
        let all = adapter.observeAll { changes.add($0.keys) }
        try adapter.transaction { transaction in
            transaction.count = 1
            transaction.name = "Ada"
        }
        adapter.flag = false
        #expect(values.all == ["0 none", "1 Ada"])
        #expect(changes.all == [["count", "na.me"], ["flag"]])
        token.dispose()
        all.dispose()
    }

    @Test func changesSequenceContainsAllCommits() async throws {
        var changes = adapter.changes().makeAsyncIterator()
        try adapter.transaction { transaction in
            transaction.count = 1
            transaction.name = "Ada"
        }
        try store.set(1, for: "foreign")
        let first = try #require(await changes.next())
        #expect(first.keys == ["count", "na.me"])
        #expect(first.update(of: DefaultsKeys().count)?.oldValue == 0)
        #expect(first.update(of: DefaultsKeys().count)?.newValue == 1)
        #expect(first.update(of: DefaultsKeys().flag) == nil)
        #expect(first.isComplete)
        #expect(await changes.next()?.keys == ["foreign"])
    }

    @Test func priorOptionDeliversTwoUpdatesPerChange() {
        let updates = Recorder<DefaultsUpdate<Int>>()
        let token = adapter.observe(\.count, options: [.old, .new, .prior]) { updates.add($0) }
        adapter.count = 5
        #expect(updates.all.map(\.isPrior) == [true, false])
        #expect(updates.all.map(\.oldValue) == [0, 0])
        #expect(updates.all.map(\.newValue) == [nil, 5])
        #expect(updates.all[1].origin == .thisProcess)
        token.dispose()
    }

    @Test func observerReceivesOnlyRequestedOldOrNewValue() {
        let updates = Recorder<DefaultsUpdate<Int>>()
        let new = adapter.observe(\.count, options: .new) { updates.add($0) }
        adapter.count = 5
        new.dispose()
        let old = adapter.observe(\.count, options: .old) { updates.add($0) }
        adapter.count = 6
        old.dispose()
        #expect(updates.all.map(\.oldValue) == [nil, 5])
        #expect(updates.all.map(\.newValue) == [5, nil])
    }

    @Test func observerWithoutOldOrNewOptionReceivesBothValues() {
        let updates = Recorder<DefaultsUpdate<Int>>()
        let none = adapter.observe(\.count, options: []) { updates.add($0) }
        adapter.count = 5
        none.dispose()
        let initial = adapter.observe(\.count, options: [.initial]) { updates.add($0) }
        adapter.count = 6
        initial.dispose()
        let prior = adapter.observe(\.count, options: .prior) { updates.add($0) }
        adapter.count = 7
        prior.dispose()
        #expect(updates.all.map(\.oldValue) == [0, 0, 5, 6, 6])
        #expect(updates.all.map(\.newValue) == [5, 5, 6, nil, 7])
    }

    @Test func updatesSequenceContainsKeyValues() async {
        // `first { $0 }`, `contains`, `filter` and `compactMap` compile only if the elements are values and not one-element tuples.
        let flags = adapter.updates(\.flag)
        #expect(await flags.first { $0 } == true)
        let maybes = adapter.updates(DefaultsKeys().maybe, initial: false)
        adapter.maybe = true
        #expect(await maybes.contains { $0 == true })
        adapter.name = "Ada"
        var names = adapter.updates(\.name).compactMap { $0 }.filter { !$0.isEmpty }.makeAsyncIterator()
        #expect(await names.next() == "Ada")
        for await isSet in adapter.updates(\.flag) where isSet { break }
    }

    @Test func updatesOfSeveralKeysArriveOncePerCommit() async throws {
        var updates = adapter.updates([\.count, \.name]).makeAsyncIterator()
        var later = adapter.updates([DefaultsKeys().count, DefaultsKeys().flag], initial: false).makeAsyncIterator()
        #expect(await updates.next() != nil)
        adapter.maybe = true
        try adapter.transaction { transaction in
            transaction.count = 1
            transaction.name = "Ada"
        }
        #expect(await updates.next() != nil)
        #expect(adapter.count == 1)
        #expect(await later.next() != nil)
        let none = issues { _ = adapter.updates([\DefaultsKeys.count, \DefaultsKeys.count._key]) }
        #expect(none.map(\.code) == [.unsupportedValue])
    }

    @Test func keysCanBeObservedByKeyPath() {
        let values = Recorder<String>()
        let token = adapter.observe(keys: \.count, \.name, initial: true) { count, name in
            values.add("\(count) \(name ?? "none")")
        }
        adapter.count = 1
        adapter.flag = false
        #expect(values.all == ["0 none", "1 none"])
        token.dispose()
    }

    @Test func observersReceiveValuesDeserializedByCustomBridge() {
        final class Counter: Sendable {
            let calls = Mutex(0)
        }
        final class Bridge: DefaultsBridge<String> {
            static let counter = Counter()
            let serialized: Bool
            init(serialized: Bool) { self.serialized = serialized }
            override func get(key: String, userDefaults: UserDefaults) -> String? { userDefaults.string(forKey: key) }
            override func save(key: String, value: String?, userDefaults: UserDefaults) {
                userDefaults.set(value, forKey: key)
            }
            override func isSerialized() -> Bool { serialized }
            override func deserialize(_ object: Any) -> String? {
                Self.counter.calls.withLock { $0 += 1 }
                return (object as? String).map { $0 + "!" }
            }
        }
        enum Serialized: DefaultsSerializable {
            static var _defaults: DefaultsBridge<String> { Bridge(serialized: true) }
        }
        enum Plain: DefaultsSerializable {
            static var _defaults: DefaultsBridge<String> { Bridge(serialized: false) }
        }
        let texts = Recorder<[String?]>()
        let serialized = DefaultsKey<Serialized>("s", defaultValue: "default")
        adapter[key: serialized] = "a"
        let one = adapter.observe(serialized) { texts.add([$0.oldValue, $0.newValue]) }
        adapter[key: serialized] = "b"
        #expect(Bridge.counter.calls.withLock { $0 } == 2)
        let plain = DefaultsKey<Plain>("p", defaultValue: "default")
        let two = adapter.observe(plain) { texts.add([$0.oldValue, $0.newValue]) }
        adapter[key: plain] = "c"
        #expect(Bridge.counter.calls.withLock { $0 } == 2)
        #expect(texts.all == [["a!", "b!"], ["default", "c"]])
        one.dispose()
        two.dispose()
    }

    @Test func missedCommitsAreDeliveredAsSingleUpdate() throws {
        let base = MemoryStore()
        let gaps = FailingStore(base)
        let adapter = DefaultsAdapter(store: gaps, keyStore: DefaultsKeys())
        let updates = Recorder<[Int?]>()
        let counts = Recorder<Int>()
        let complete = Recorder<Bool>()
        let tokens = [
            adapter.observe(\.count) { updates.add([$0.oldValue, $0.newValue]) },
            adapter.observe(keys: DefaultsKeys().count) { counts.add($0) },
            adapter.observeAll { complete.add($0.isComplete) },
        ]
        try base.set(3, for: "count")
        gaps.reportMissedCommit()
        gaps.reportMissedCommit()
        #expect(updates.all == [[0, 3]])
        #expect(counts.all == [3])
        #expect(complete.all == [false, false])
        for token in tokens { token.dispose() }
    }

    @Test func observerReadErrorIsReported() {
        let gaps = FailingStore(MemoryStore())
        let adapter = DefaultsAdapter(store: gaps, keyStore: DefaultsKeys())
        let updates = Recorder<Int?>()
        let token = adapter.observe(\.count) { updates.add($0.newValue) }
        gaps.failReading()
        #expect(issues { gaps.reportMissedCommit() }.map(\.code) == [.readFailed])
        #expect(updates.all.isEmpty)
        token.dispose()
    }

    @Test func observerDecodingErrorIsReported() throws {
        let updates = Recorder<Int?>()
        let token = adapter.observe(\.count) { updates.add($0.newValue) }
        let reported = try issues { try store.set("no number", for: "count") }
        #expect(reported.map(\.code) == [.notConvertible])
        #expect(updates.all == [0])
        token.dispose()
    }

    @Test func typedUserDefaultsKeyCanBeObserved() {
        let userDefaults = UserDefaultsFacade(store)
        let updates = Recorder<Int?>()
        let token = userDefaults.observe(DefaultsKeys().count) { updates.add($0.newValue) }
        userDefaults[DefaultsKeys().count] += 2
        userDefaults[key: DefaultsKeys().count] = 7
        #expect(userDefaults[DefaultsKeys().count] == 7)
        #expect(userDefaults.hasKey(DefaultsKeys().count))
        userDefaults.remove(DefaultsKeys().count)
        #expect(!userDefaults.hasKey(DefaultsKeys().count))
        #expect(updates.all == [2, 7, 0])
        token.dispose()
    }
}
