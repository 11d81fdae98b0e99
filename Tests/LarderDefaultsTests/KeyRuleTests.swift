import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Synchronization
import Testing

struct KeyRuleTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    // MARK: - Defaults

    // Behavior 35.
    @Test func dynamicDefaultIsComputedAtEachRead() {
        final class Counter: Sendable { let value = Mutex(0) }
        let counter = Counter()
        let key = DefaultsKey<Int?>(
            "n",
            dynamicDefault: {
                counter.value.withLock {
                    $0 += 1; return $0
                }
            }
        )
        #expect(counter.value.withLock { $0 } == 0)
        #expect(adapter[key: key] == 1)
        #expect(adapter[key: key] == 2)
        adapter[key: key] = 50
        #expect(adapter[key: key] == 50)
        adapter[key: key] = nil
        #expect(adapter[key: key] == 3)
        #expect(!adapter.hasKey(key))
    }

    @Test func dynamicDefaultCanReadAnotherKey() {
        let adapter = adapter
        let name = DefaultsKey<String>("name", defaultValue: "Ada")
        let greeting = DefaultsKey<String>("greeting", dynamicDefault: { "Hello, " + adapter[key: name] })
        adapter[key: greeting] += "!"
        #expect(adapter[key: greeting] == "Hello, Ada!")
    }

    // Behavior 36.
    @Test func keysWithSameNameAndTypeAreEqual() {
        #expect(DefaultsKey<Int>("a", defaultValue: 1) == DefaultsKey<Int>("a", defaultValue: 2))
        #expect(DefaultsKey<Int>("a", defaultValue: 1) != DefaultsKey<Int>("b", defaultValue: 1))
        #expect(DefaultsKey<Int>("\u{E9}", defaultValue: 1) != DefaultsKey<Int>("e\u{301}", defaultValue: 1))
        let keys: Set<AnyHashable> = [
            DefaultsKey<Int>("a", defaultValue: 1), DefaultsKey<Int>("a", defaultValue: 2),
            DefaultsKey<String>("a", defaultValue: ""), DefaultsKey<Int?>("a"),
        ]
        #expect(keys.count == 3)
    }

    // MARK: - Validation

    @Test func outOfRangeValuesAreClamped() throws {
        let key = DefaultsKey<Double>("volume", defaultValue: 0.5, validation: .clamp(to: 0...1))
        adapter[key: key] = 7
        #expect(try store.get("volume") == 1.0)
        adapter[key: key] = -7
        #expect(adapter[key: key] == 0)
        adapter[key: key] = .nan
        #expect(adapter[key: key] == 0)
        try store.set(3.0, for: "volume")
        #expect(adapter[key: key] == 1)
    }

    @Test func rejectedValuesAreNeitherWrittenNorRead() throws {
        let key = DefaultsKey<String>("name", defaultValue: "Ada").validated(
            .reject("a name is needed", where: \.isEmpty)
        )
        adapter[key: key] = "Bob"
        let written = issues { adapter[key: key] = "" }
        #expect(written.map(\.code) == [.unsupportedValue])
        #expect(adapter[key: key] == "Bob")
        #expect(throws: DefaultsError.self) { try adapter.write(key, "") }
        try store.set("", for: "name")
        let read = issues { #expect(adapter[key: key] == "Ada") }
        #expect(read.map(\.code) == [.readFailed])
        do {
            _ = try adapter.read(key)
        } catch let error as DefaultsError {
            #expect(error.code == .rejected)
            #expect(error.message.hasPrefix("The value for \"name\" was rejected: a name is needed. Write a value"))
        }
    }

    @Test func transformingValidationReplacesWrittenValues() {
        let key = DefaultsKey<String?>("name").validated(.transform { $0?.lowercased() })
        adapter[key: key] = "ADA"
        #expect(adapter[key: key] == "ada")
        adapter[key: key] = nil
        #expect(!adapter.hasKey(key))
    }

    @Test func lossyReadOfKeyWithRulesIsReported() throws {
        let key = DefaultsKey<Int>("n", defaultValue: 0, validation: .clamp(to: 0...10))
        try store.set(2.7, for: "n")
        let reported = issues { #expect(adapter[key: key] == 2) }
        #expect(reported.map(\.code) == [.lossyConversion])
    }

    // MARK: - Former names

    @Test func formerNameIsReadUntilKeyIsWritten() throws {
        try store.set("Ada", for: "userName")
        let key = DefaultsKey<String?>("name", was: "userName")
        #expect(adapter[key: key] == "Ada")
        #expect(adapter.hasKey(key))
        #expect(try store.keys() == ["userName"])
        #expect(try adapter.origin(of: key) == .stored)
        adapter[key: key]? += " L."
        #expect(try store.keys() == ["name"])
        #expect(adapter[key: key] == "Ada L.")
    }

    @Test func removingKeyRemovesFormerNames() throws {
        try store.set(1, for: "a")
        try store.set(2, for: "b")
        let key = DefaultsKey<Int>("c", defaultValue: 0).was("a", "b")
        #expect(adapter[key: key] == 1)
        adapter.remove(key)
        #expect(adapter[key: key] == 0)
        #expect(try store.count() == 0)
        try store.set(2, for: "b")
        let optional = DefaultsKey<Int?>("c").was("a", "b")
        adapter[key: optional] = nil
        #expect(try store.count() == 0)
    }

    @Test func removeAllRemovesValuesUnderFormerNamesOfDeclaredKeys() throws {
        struct Keys: DefaultsKeyStore { let key = DefaultsKey<Int>("c", was: "a", defaultValue: 0) }
        try store.set(1, for: "a")
        DefaultsAdapter(store: store, keyStore: Keys()).removeAll()
        #expect(try store.count() == 0)
    }

    // MARK: - Versions

    private var versioned: DefaultsKey<Int> {
        DefaultsKey<Int>("size", defaultValue: 0).version(2) { stored, version in
            // Version 0 was a string, version 1 was centimeters.
            version == 0 ? Int(try stored.decoded(as: String.self)) ?? 0 : try stored.decoded(as: Int.self) * 10
        }
    }

    @Test func earlierVersionValueIsMigratedOnRead() throws {
        try store.set("7", for: "size")
        #expect(adapter[key: versioned] == 7)
        #expect(try store.get("size") == "7")
        let first = DefaultsKey<Int>("size", defaultValue: 0).version(1) { _, _ in -1 }
        adapter[key: first] = 5
        #expect(adapter[key: versioned] == 50)
        adapter[key: versioned] += 1
        #expect(try store.get("size") == 51)
        #expect(try adapter.read(versioned) == 51)
    }

    @Test func newerVersionValueIsNeitherReadNorOverwritten() throws {
        let newer = DefaultsKey<Int>("size", defaultValue: 0).version(3) { _, _ in -1 }
        adapter[key: newer] = 8
        let reported = issues {
            #expect(adapter[key: versioned] == 0)
            adapter[key: versioned] = 1
        }
        #expect(reported.map(\.code) == [.readFailed, .writeFailed])
        #expect(adapter[key: newer] == 8)
        do {
            _ = try adapter.read(versioned)
        } catch let error as DefaultsError {
            #expect(error.code == .newerVersion)
        }
        #expect(throws: DefaultsError.self) { try adapter.write(versioned, 1) }
        #expect(throws: DefaultsError.self) { try adapter.transaction { $0[key: versioned] = 1 } }
        adapter.remove(versioned)
        adapter[key: versioned] = 1
        #expect(adapter[key: versioned] == 1)
    }

    @Test func failedKeyMigrationKeepsStoredValue() throws {
        try store.set([1], for: "size")
        let reported = issues { #expect(adapter[key: versioned] == 0) }
        #expect(reported.map(\.code) == [.notConvertible])
        adapter[key: versioned] = 3
        #expect(try adapter.undecodableValues(of: versioned) == [[1]])
        #expect(adapter[key: versioned] == 3)
    }

    @Test func settingOptionalToNilRemovesStoredVersion() throws {
        let old = DefaultsKey<Int?>("size").version(3) { _, _ in -1 }
        adapter[key: old] = 1
        adapter[key: old] = nil
        try store.set(9, for: "size")
        #expect(adapter[key: old] == -1)
    }

    @Test func observersAndReadersOfKeyWithRulesSeeSameValue() {
        let key = DefaultsKey<Int>("n", defaultValue: 1, validation: .clamp(to: 0...10))
        let updates = Recorder<[Int?]>()
        let token = adapter.observe(key) { updates.add([$0.oldValue, $0.newValue]) }
        adapter[key: key] = 50
        let sizes = Recorder<Int?>()
        let other = adapter.observe(versioned) { sizes.add($0.newValue) }
        adapter.defaults.set("12", forKey: "size")
        adapter[key: versioned] = 3
        #expect(updates.all == [[1, 10]])
        #expect(sizes.all == [12, 3])
        token.dispose()
        other.dispose()
    }

    // MARK: - Declarations

    @Test func sameNamedKeysOfDifferentTypesAreReportedOnce() {
        let reported = issues {
            _ = adapter[key: DefaultsKey<Int>("n", defaultValue: 0)]
            _ = adapter[key: DefaultsKey<Int?>("n")]
            _ = adapter[key: DefaultsKey<String?>("n")]
            _ = adapter[key: DefaultsKey<String?>("n")]
        }
        #expect(reported.map(\.code) == [.conflictingKeys])
        #expect(
            reported.first?.message
                == "Keys of type Int and type String share the name \"n\". Rename one of them."
        )
    }
}
