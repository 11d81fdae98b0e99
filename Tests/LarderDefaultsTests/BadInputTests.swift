import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// A type for which undecodable elements in an array are skipped.
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

/// Tests the result of each failure that is listed in the section "Look up failures" of the article "Typed defaults".
struct BadInputTests {
    private let store = RecordingStore(MemoryStore())
    private var adapter: DefaultsAdapter<BadInputKeys> { DefaultsAdapter(store: store, keyStore: BadInputKeys()) }

    @Test func valueOfWrongTypeIsReportedAndReadsAsDefault() throws {
        try store.set(["not", "a", "number"], for: "count")
        let issues = issues { #expect(adapter.count == 7) }
        #expect(issues.map(\.code) == [.notConvertible] && issues.first?.key == "count")
        #expect(try store.get("count") == ["not", "a", "number"])
        #expect { try adapter.read(\.count) } throws: { ($0 as? DefaultsError)?.code == .wrongType }
    }

    @Test func undecodableElementMakesNonLossyArrayUnreadable() throws {
        try store.set(["rain", "fog"], for: "weather")
        try store.set(["dog", "dragon"], for: "pets")
        let issues = issues {
            #expect(adapter.weather == [.sun])
            #expect(adapter.pets == [.dog])
        }
        #expect(issues.map(\.code) == [.notConvertible, .lossyConversion])
        #expect(try store.get("pets") == ["dog", "dragon"])
    }

    @Test func truncatedJSONReadsAsDefault() throws {
        let whole = try JSONEncoder().encode(CodableFrog(name: "a", weight: 2))
        for length in 0..<whole.count {
            try store.set(.data(whole.prefix(length)), for: "frog")
            let issues = issues { #expect(adapter.frog.name == "default") }
            #expect(issues.map(\.code) == [.readFailed])
            #expect { try adapter.read(\.frog) } throws: { ($0 as? DefaultsError)?.code == .undecodable }
        }
    }

    @Test func deeplyNestedJSONReadsAsDefault() throws {
        try store.set(.data(Data(repeating: UInt8(ascii: "["), count: 1_000_000)), for: "frog")
        let found = issues { #expect(adapter.frog.name == "default") }
        #expect(found.map(\.code) == [.readFailed])
    }

    @Test func maliciousArchiveReadsAsNil() throws {
        try store.set(.data(Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64)), for: "frog")
        let key = DefaultsKey<ArchivedFrog?>("frog")
        let found = issues { #expect(adapter[key: key] == nil) }
        #expect(found.map(\.code) == [.readFailed])
        #expect { try adapter.read(key) } throws: { ($0 as? DefaultsError)?.code == .undecodable }
    }

    @Test func tenMegabyteValuesRoundTrip() throws {
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

    @Test func eachUndecodableValueIsKeptOnce() throws {
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
            // The same value is kept only once.
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
        // Seven values of a megabyte each were set, and six of them were kept.
        #expect((13_000_000..<13_100_000).contains(store.bytes))
    }

    @Test func deeplyNestedErrorsHaveShortDescriptions() throws {
        struct Broken: Error {}
        struct Failing: Codable, DefaultsSerializable {
            let error: any Error

            init(_ error: any Error) { self.error = error }
            init(from decoder: any Decoder) throws { throw Broken() }
            func encode(to encoder: any Encoder) throws { throw error }
        }
        let key = DefaultsKey<Failing?>("failing")
        var last: any Error = Broken()
        for _ in 0..<2_000 {
            last = try #require(throws: DefaultsError.self) { try adapter.write(key, Failing(last)) }
        }
        var (depth, next) = (0, Optional(last))
        while let cause = (next as? DefaultsError)?.underlying {
            depth += 1
            next = cause
        }
        try #require(depth < 20)
        #expect(next is Broken)
        #expect("\(last)".utf8.count < 8_000)
        #expect(store.writes.isEmpty)
    }

    @Test func keepingUndecodableValueDoesNotReadOtherKeptValues() throws {
        let reads = Recorder<String>()
        let store = FailingStore(MemoryStore())
        store.failReading { key in
            if key.text.contains("undecodable") { reads.add(key.text) }
            return false
        }
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        func broken(_ round: Int) -> StoredValue { .data(Data("{\(round)".utf8)) }
        func keep(_ round: Int) throws -> Int {
            let before = reads.all.count
            try store.set(broken(round), for: "frog")
            _ = try issues {
                _ = adapter.frog
                try adapter.write(\.frog, CodableFrog(name: "\(round)"))
            }
            return reads.all.count - before
        }
        // These are two values that an early version kept without hashes.
        for round in 0..<2 {
            try store.set(broken(round), for: StoreKey(reserved: ".defaults.undecodable.\(round).frog"))
        }
        _ = try keep(1)
        let few = try keep(2)
        for round in 3..<30 { _ = try keep(round) }
        #expect(try keep(30) <= few)
        #expect(try keep(17) <= few)
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog) == (0...30).map(broken))
        try adapter.discardUndecodableValues(of: BadInputKeys().frog)
        _ = try keep(17)
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog) == [broken(17)])
        #expect(try store.verify().isIntact)
    }

    @Test func largeUndecodableValuesAreEachWrittenOnce() throws {
        let folder = try TemporaryDirectory()
        var options = DeviceStoreOptions()
        options.environment.isShared = false
        options.environment.isAutomatic = false
        let store = try DeviceStore(path: folder.path("s.larder"), options: options)
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        let other = DefaultsKey<CodableFrog?>("other frog")
        for (number, name) in ["frog", "other frog"].enumerated() {
            try store.set(.data(Data(repeating: UInt8(number), count: 1_000_000)), for: StoreKey(name))
        }
        let before = try store.statistics().usedBytes
        _ = issues {
            _ = (adapter.frog, adapter[key: other])
            for name in ["a", "b", "c"] { (adapter.frog, adapter[key: other]) = (CodableFrog(name: name), nil) }
        }
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog).count == 1)
        #expect(try adapter.undecodableValues(of: other).count == 1)
        #expect(try store.statistics().usedBytes - before < 3_000_000)
        #expect(try store.verify().isIntact)
        try store.close()
    }

    @Test func undecodableValuesKeptByEarlierVersionAreListed() throws {
        let store = MemoryStore()
        let adapter = DefaultsAdapter(store: store, keyStore: BadInputKeys())
        // Versions before 0.9 kept all values in one record.
        try store.set(["frog": [.data(Data([1]))], "x": [2]], for: StoreKey(reserved: ".defaults.undecodable"))
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog) == [.data(Data([1]))])
        try adapter.discardUndecodableValues(of: BadInputKeys().frog)
        #expect(try adapter.undecodableValues(of: BadInputKeys().frog).isEmpty)
        #expect(try adapter.undecodableValues(of: DefaultsKey<Int>("x", defaultValue: 0)) == [2])
    }

    @Test func undecodableValueWithLongKeyIsKept() throws {
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

    @Test func hundredKilobyteKeyIsRejected() throws {
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

    @Test func unknownRawValueReadsAsDefaultAndIsKept() throws {
        try store.set("fog", for: "k")
        let key = DefaultsKey<Weather>("k", defaultValue: .rain)
        let found = issues { #expect(adapter[key: key] == .rain) }
        #expect(found.map(\.code) == [.notConvertible])
        #expect(try store.get("k") == "fog")
        // When the undecodable value is overwritten, it is kept.
        adapter[key: key] = .sun
        #expect(try adapter.undecodableValues(of: key) == ["fog"])
    }

    @Test func subscriptWriteOnFullDiskKeepsOldValue() throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
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
