import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import Testing

extension DefaultsKeys {
    fileprivate var launchCount: DefaultsKey<Int> { .init("launchCount", defaultValue: 0) }
    fileprivate var userName: DefaultsKey<String?> { .init("userName") }
    fileprivate var theme: DefaultsKey<String?> { .init("theme", defaultValue: "light") }
    fileprivate var tags: DefaultsKey<[String]> { .init("tags", defaultValue: []) }
}

struct DefaultsAdapterTests {
    private struct OtherKeys: DefaultsKeyStore {
        let stored = DefaultsKey<Int>("other.stored", defaultValue: 1)
        var computed: DefaultsKey<Int> { .init("other.computed", defaultValue: 2) }
    }

    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    @Test func readingUnsetKeyReturnsDefaultWithoutWriting() throws {
        #expect(adapter[\.launchCount] == 0)
        #expect(adapter.theme == "light")
        #expect(adapter.userName == nil)
        #expect(try store.count() == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func everyAccessSyntaxReadsSameValue() {
        adapter[\.launchCount] = 1
        #expect(adapter.launchCount == 1)
        adapter.launchCount = 2
        #expect(adapter[key: DefaultsKeys().launchCount] == 2)
        adapter[key: DefaultsKeys().launchCount] = 3
        #expect(adapter[\.launchCount] == 3)
    }

    @Test func valueCanBeMutatedInPlace() {
        adapter.launchCount += 2
        adapter[\.tags].append("green")
        #expect(adapter.launchCount == 2)
        #expect(adapter.tags == ["green"])
    }

    @Test func valueEqualToDefaultIsStored() throws {
        adapter.launchCount = 0
        #expect(adapter.hasKey(\.launchCount))
        #expect(try store.get("launchCount") == 0)
    }

    @Test func settingOptionalToNilRemovesValue() throws {
        adapter.userName = "Ada"
        adapter.userName = nil
        #expect(adapter.userName == nil)
        #expect(!adapter.hasKey(\.userName))
    }

    @Test func optionalSetToNilReadsAsDefault() {
        adapter.theme = "dark"
        #expect(adapter.theme == "dark")
        adapter.theme = nil
        #expect(adapter.theme == "light")
    }

    @Test func removedKeyReadsAsDefault() {
        adapter.launchCount = 5
        adapter.remove(\.launchCount)
        #expect(adapter.launchCount == 0)
        #expect(!adapter.hasKey(DefaultsKeys().launchCount))
        adapter.remove(DefaultsKeys().launchCount)
    }

    @Test func removeAllKeepsValuesNotWrittenByAdapter() throws {
        try store.set("keep", for: "foreign")
        adapter.launchCount = 5
        adapter.userName = "Ada"
        adapter.removeAll()
        #expect(try store.keys() == ["foreign"])
        #expect(try store.verify().isIntact)
    }

    @Test func removeAllRemovesValuesOfEarlierAdapter() throws {
        DefaultsAdapter(store: store, keyStore: DefaultsKeys()).launchCount = 5
        DefaultsAdapter(store: store, keyStore: DefaultsKeys()).removeAll()
        #expect(try store.count() == 0)
    }

    @Test func removeAllKeepsKeysOfAnotherKeyStore() throws {
        let other = DefaultsAdapter(store: store, keyStore: OtherKeys())
        other.computed = 7
        adapter.launchCount = 5
        adapter.removeAll()
        #expect(try store.keys() == ["other.computed"])
    }

    @Test func removeAllRemovesDeclaredKeysWrittenByOtherCode() throws {
        try store.set(9, for: "other.stored")
        DefaultsAdapter(store: store, keyStore: OtherKeys()).removeAll()
        #expect(try store.count() == 0)
    }

    @Test func unreadableValueReadsAsDefaultAndIsReported() throws {
        try store.set("many", for: "launchCount")
        let issues = issues { #expect(adapter.launchCount == 0) }
        #expect(issues.map(\.code) == [.notConvertible])
        #expect(adapter.hasKey(\.launchCount))
        #expect(try store.get("launchCount") == "many")
    }

    @Test func lossyReadIsReported() throws {
        try store.set(2.7, for: "launchCount")
        let issues = issues { #expect(adapter.launchCount == 2) }
        #expect(issues.map(\.code) == [.lossyConversion])
    }

    @Test func writeToInvalidKeyIsReportedAndChangesNothing() throws {
        let key = DefaultsKey<Int>(String(repeating: "k", count: StoreKey.maximumLength + 1), defaultValue: 1)
        let issues = issues {
            adapter[key: key] = 2
            #expect(adapter[key: key] == 1)
            #expect(!adapter.hasKey(key))
            adapter.remove(key)
        }
        #expect(issues.map(\.code) == [.writeFailed, .readFailed, .readFailed, .writeFailed])
        #expect(try store.count() == 0)
    }

    @Test func keyNamesMayBeEmptyOrContainDots() {
        for name in ["", "a.b.c", "@x", "é"] {
            let key = DefaultsKey<Int>(name, defaultValue: 0)
            adapter[key: key] = 4
            #expect(adapter[key: key] == 4)
        }
    }

    @Test func adapterUsesOnlySpecifiedUserDefaults() throws {
        let userDefaults = UserDefaultsFacade(store)
        let adapter = DefaultsAdapter(defaults: userDefaults, keyStore: DefaultsKeys())
        adapter.launchCount = 8
        #expect(userDefaults.integer(forKey: "launchCount") == 8)
        #expect(adapter.defaults === userDefaults)
    }

    @Test func globalAdapterUsesDeviceStorage() throws {
        let key = DefaultsKey<String>("DefaultsAdapterTests.global", defaultValue: "")
        Defaults[key: key] = "here"
        #expect(try StandardStore.shared.get("DefaultsAdapterTests.global") == "here")
        Defaults.remove(key)
        #expect(Defaults[key: key].isEmpty)
    }

    @Test func adapterCanBeSharedByThreads() async {
        let adapter = adapter
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<100 {
                        adapter[key: DefaultsKey<Int>("key \(number)", defaultValue: 0)] = round
                    }
                }
            }
        }
        for number in 0..<8 { #expect(adapter[key: DefaultsKey<Int>("key \(number)", defaultValue: 0)] == 99) }
        adapter.removeAll()
        #expect((try? store.count()) == 0)
    }
}
