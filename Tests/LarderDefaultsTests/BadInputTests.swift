import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// A type of which a bad element may be left out.
private enum Pet: String, DefaultsSerializable {
    case cat, dog
    static var _defaultsArray: DefaultsBridge<[Pet]> { DefaultsLossyArrayBridge(_defaults) }
}

private struct BadInputKeys: DefaultsKeyStore {
    let count = DefaultsKey<Int>("count", defaultValue: 7)
    let frog = DefaultsKey<CodableFrog>("frog", defaultValue: CodableFrog(name: "default"))
    let weather = DefaultsKey<[Weather]>("weather", defaultValue: [.sun])
    let pets = DefaultsKey<[Pet]>("pets", defaultValue: [.cat])
    let bytes = DefaultsKey<Data?>("bytes")
    let text = DefaultsKey<String?>("text")
}

/// The list of the article "Typed defaults", section "Know what goes wrong": each with its outcome.
struct BadInputTests {
    private let store = RecordingStore(MemoryStore())
    private var adapter: DefaultsAdapter<BadInputKeys> { DefaultsAdapter(store: store, keyStore: BadInputKeys()) }

    @Test func aWrongTypeReadsAsTheDefaultStaysAndIsReported() throws {
        try store.set(["not", "a", "number"], for: "count")
        let issues = issues { #expect(adapter.count == 7) }
        #expect(issues.map(\.code) == [.notConvertible] && issues.first?.key == "count")
        #expect(try store.get("count") == ["not", "a", "number"])
        #expect { try adapter.read(\.count) } throws: { ($0 as? DefaultsError)?.code == .wrongType }
    }

    @Test func oneBadElementMakesTheArrayUnreadableUnlessTheTypeIsLossy() throws {
        try store.set(["rain", "fog"], for: "weather")
        try store.set(["dog", "dragon"], for: "pets")
        let issues = issues {
            #expect(adapter.weather == [.sun])
            #expect(adapter.pets == [.dog])
        }
        #expect(issues.map(\.code) == [.notConvertible, .lossyConversion])
        #expect(try store.get("pets") == ["dog", "dragon"])
    }

    @Test func codableBytesCutShortAnywhereReadAsTheDefault() throws {
        let whole = try JSONEncoder().encode(CodableFrog(name: "a", weight: 2))
        for length in 0..<whole.count {
            try store.set(.data(whole.prefix(length)), for: "frog")
            let issues = issues { #expect(adapter.frog.name == "default") }
            #expect(issues.map(\.code) == [.readFailed])
            #expect { try adapter.read(\.frog) } throws: { ($0 as? DefaultsError)?.code == .undecodable }
        }
    }

    @Test func jsonThatNestsWithoutEndReadsAsTheDefault() throws {
        try store.set(.data(Data(repeating: UInt8(ascii: "["), count: 1_000_000)), for: "frog")
        let found = issues { #expect(adapter.frog.name == "default") }
        #expect(found.map(\.code) == [.readFailed])
    }

    @Test func aHostileArchiveReadsAsNothing() throws {
        try store.set(.data(Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64)), for: "frog")
        let key = DefaultsKey<ArchivedFrog?>("frog")
        let found = issues { #expect(adapter[key: key] == nil) }
        #expect(found.map(\.code) == [.readFailed])
        #expect { try adapter.read(key) } throws: { ($0 as? DefaultsError)?.code == .undecodable }
    }

    @Test func valuesOfTenMegabytesComeBackWhole() throws {
        let folder = try TemporaryDirectory()
        let path = folder.url("s.larder").path
        let bytes = Data(repeating: 0xA5, count: 10_000_000)
        let text = String(repeating: "é", count: 5_000_000)
        do {
            let store = try DeviceStore(path: path)
            let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
            let issues = issues {
                adapter.bytes = bytes
                adapter.text = text
                adapter.frog = CodableFrog(name: text)
            }
            #expect(issues.isEmpty)
            try store.close()
        }
        let adapter = DefaultsAdapter(store: try DeviceStore(path: path), keyStore: BadInputKeys())
        #expect(adapter.bytes == bytes)
        #expect(adapter.text == text)
        #expect(adapter.frog.name == text)
        #expect(try adapter.store.verify().isIntact)
    }

    @Test func keepingUnreadableValuesWritesEachOnce() throws {
        let store = CountingStore(MemoryStore())
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        let other = DefaultsKey<CodableFrog?>("other frog")
        func broken(_ round: Int) -> StoredValue { .data(Data(repeating: UInt8(round), count: 1_000_000)) }
        _ = try issues {
            for round in 0..<3 {
                try store.set(broken(round), for: "frog")
                try store.set(broken(round), for: "other frog")
                _ = (adapter.frog, adapter[key: other])
                (adapter.frog, adapter[key: other]) = (CodableFrog(name: "a"), nil)
            }
            // The same value is kept once.
            try store.set(broken(1), for: "frog")
            _ = adapter.frog
            adapter.frog = CodableFrog(name: "b")
        }
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog) == (0..<3).map(broken))
        #expect(try adapter.undecodableValues(of: other) == (0..<3).map(broken))
        try adapter.discardUndecodableValues(of: other)
        #expect(try adapter.undecodableValues(of: other).isEmpty)
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog).count == 3)
        #expect(try store.verify().isIntact)
        // Seven values that were set, six that were kept, of a megabyte each.
        #expect((13_000_000..<13_100_000).contains(store.bytes))
    }

    @Test func unreadableValuesOfAnEarlierVersionAreStillThere() throws {
        let store = MemoryStore()
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        // As versions before 0.9 kept them: all in one record.
        try store.set(["frog": [.data(Data([1]))], "x": [2]], for: StoreKey(reserved: ".defaults.undecodable"))
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog) == [.data(Data([1]))])
        try adapter.discardUndecodableValues(of: BadInputKeys().frog)
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog).isEmpty)
        #expect(try adapter.undecodableValues(of: DefaultsKey<Int>("x", defaultValue: 0)) == [2])
    }

    @Test func unreadableValueUnderALongNameIsKeptToo() throws {
        let store = MemoryStore()
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        let key = DefaultsKey<Int>(String(repeating: "k", count: StoreKey.maximumLength), defaultValue: 0)
        try store.set("many", for: key._key)
        let found = issues {
            _ = adapter[key: key]
            adapter[key: key] = 3
        }
        #expect(found.map(\.code) == [.notConvertible])
        #expect(adapter[key: key] == 3)
        #expect(try adapter.undecodableValues(of: key) == ["many"])
    }

    @Test func aNameOfAHundredKilobytesIsRefusedAndChangesNothing() throws {
        let key = DefaultsKey<Int>(String(repeating: "k", count: 100_000), defaultValue: 7)
        let issues = issues {
            adapter[key: key] = 8
            adapter[key: key] += 1
            #expect(adapter[key: key] == 7)
            #expect(!adapter.hasKey(key))
            adapter.remove(key)
        }
        #expect(!issues.isEmpty && issues.allSatisfy { [.writeFailed, .readFailed].contains($0.code) })
        #expect(store.writes.isEmpty)
        #expect { try adapter.write(key, 8) } throws: { ($0 as? StoreError)?.code == .keyTooLong }
    }

    @Test func anUnknownRawValueReadsAsTheDefaultAndStays() throws {
        try store.set("fog", for: "k")
        let key = DefaultsKey<Weather>("k", defaultValue: .rain)
        let found = issues { #expect(adapter[key: key] == .rain) }
        #expect(found.map(\.code) == [.notConvertible])
        #expect(try store.get("k") == "fog")
        // Written over, it is kept beside.
        adapter[key: key] = .sun
        #expect(try adapter.undecodableValues(of: key) == ["fog"])
    }

    @Test func aFullDiskUnderASubscriptLosesNothing() throws {
        let disk = LyingFileSystem(directories: ["/data"])
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        let store = try DeviceStore(path: "/data/s.larder", options: options)
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        (adapter.count, adapter.text) = (1, "before")

        disk.fail(at: disk.operationCount, errno: ENOSPC, forever: true)
        let large = String(repeating: "x", count: 5_000_000)
        let issues = issues { adapter.text = large }
        #expect(issues.map(\.code) == [.writeFailed] && issues.first?.key == "text")
        #expect(adapter.text == "before" && adapter.count == 1)
        #expect(throws: StoreError.self) { try adapter.write(\.text, large) }

        disk.stopFailing()
        adapter.text = "after"
        #expect(adapter.text == "after")
        #expect(try store.verify().isIntact)
    }
}
