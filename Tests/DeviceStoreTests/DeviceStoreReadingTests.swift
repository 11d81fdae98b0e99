import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization
import Testing

/// Tests of lock-free reads during writes of every kind.
@Suite struct DeviceStoreReadingTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("settings.larder") }

    init() throws { directory = try TemporaryDirectory() }

    // MARK: One thread

    /// Values that cover every in-memory representation, which are inline, Swift string, boxed, and stored only in the file.
    static let values: [StoredValue] = [
        true, false, 0, -1, .int(.min), .unsigned(.max), .float(0.1), .double(-0.0), .double(.infinity),
        .date(Date(timeIntervalSinceReferenceDate: 0.1)), "", "a", "fifteen bytes..", "sixteen bytes...", "e\u{301}",
        "🧺🧺🧺",
        "a text that is longer than what fits into two words", .url("https://example.com/a/long/enough/path"),
        .url("x:"),
        .data(Data([1, 2, 3])), .data(Data(repeating: 7, count: 20_000)), [1, "two", [3]], ["key": ["inner": .null]],
    ]

    @Test(arguments: values)
    func everyValueRoundTrips(value: StoredValue) throws {
        let store = try DeviceStore(path: path)
        try store.set(value, for: "key")
        #expect(try store.get("key") == value)
        #expect(try store.get(StoreKey("ey", prefix: "k")) == value)
        try store.closeNow()
        let again = try DeviceStore(path: path)
        #expect(try again.get("key") == value)
        #expect(try again.verify().isIntact)
    }

    /// Mixes entries of several forms, because opening applies consecutive integers with short keys in batches.
    @Test(arguments: [0, 1, 7, 40])
    func entriesOfAllTypesSurviveReopening(otherOnesIn100: Int) throws {
        var random = SystemRandomNumberGenerator()
        let lengths = [1, 3, 4, 7, 8, 15, 16, 17, 23, 24, 25, 127, 128, 300]
        let keys = (0..<1_500).map { number in
            let isOther = Int.random(in: 0..<100, using: &random) < otherOnesIn100
            let length = isOther ? lengths[number % lengths.count] : 4 + number % 24
            return StoreKey(String(repeating: "k", count: max(0, length - 4)) + "\(number)")
        }
        let store = try DeviceStore(path: path)
        var expected: [StoreKey: StoredValue] = [:]
        for _ in 0..<40 {
            var batch = StoreBatch()
            for key in keys.shuffled(using: &random).prefix(Int.random(in: 1...400, using: &random)) {
                if Int.random(in: 0..<100, using: &random) >= otherOnesIn100 {
                    expected[key] = .int(.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63))
                } else {
                    expected[key] = Bool.random() ? nil : Self.values.randomElement(using: &random)
                }
                batch.write(expected[key], for: key)
            }
            #expect(try store.commit(batch))
        }
        let liveBytes = try store.statistics().liveBytes
        try store.closeNow()
        let again = try DeviceStore(path: path)
        for key in keys { #expect(try again.get(key) == expected[key]) }
        #expect(try again.entries().count == expected.count)
        #expect(try again.statistics().liveBytes == liveBytes)
        try again.compact()
        for key in keys { #expect(try again.get(key) == expected[key]) }
        #expect(try again.verify().isIntact)
    }

    @Test func valueCanBeReplacedByValueOfAnotherType() throws {
        let store = try DeviceStore(path: path)
        for value in Self.values {
            for other in Self.values {
                try store.set(value, for: "key")
                try store.set(other, for: "key")
                #expect(try store.get("key") == other)
            }
        }
        try store.remove("key")
        #expect(try store.get("key") == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func keysDifferingInOneByteAreDistinctAtEveryLength() throws {
        let store = try DeviceStore(path: path)
        let keys = (0...100).flatMap { length -> [String] in
            let text = String(repeating: "k", count: length)
            // The keys are identical except for the first, the middle or the last byte.
            let places = Set([0, length / 2, length - 1]).filter { (0..<length).contains($0) }
            return [text] + places.map { String(text.prefix($0)) + "x" + String(text.dropFirst($0 + 1)) }
        }
        let distinct = Array(Set(keys))
        for (number, key) in distinct.enumerated() { try store.set(.int(Int64(number)), for: key) }
        for (number, key) in distinct.enumerated() {
            #expect(try store.get(key) == .int(Int64(number)))
            #expect(try store.get(StoreKey(key).rememberingHash()) == .int(Int64(number)))
            #expect(try store.get(key + "y") == nil)
        }
        #expect(try store.keys() == distinct.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
        for key in distinct { try store.remove(key) }
        #expect(try store.count() == 0)
        #expect(try store.verify().isIntact)
    }

    @Test func longKeysAreFoundAfterMostKeysAreRemoved() throws {
        let store = try DeviceStore(path: path)
        let keys = (0..<2_000).map { "a key that does not fit into its entry, number \($0)" }
        for (number, key) in keys.enumerated() { try store.set(.int(Int64(number)), for: key) }
        for (number, key) in keys.enumerated() where number % 10 != 0 { try store.remove(key) }
        for (number, key) in keys.enumerated() {
            #expect(try store.get(key) == (number % 10 == 0 ? .int(Int64(number)) : nil))
        }
        #expect(try store.verify().isIntact)
    }

    @Test func keyWithCachedHashFindsSameEntry() throws {
        let store = try DeviceStore(path: path)
        let key = StoreKey("name", prefix: "user.").rememberingHash()
        #expect(key == "user.name")
        #expect(key.hashValue == StoreKey("user.name").hashValue)
        try store.set("Ada", for: key)
        #expect(try store.get("user.name") == "Ada")
        #expect(try store.value(String.self, for: key) == "Ada")
        try store.remove(key)
        #expect(try store.get(key) == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func allReadsRejectInvalidKey() throws {
        let store = try DeviceStore(path: path)
        let long = String(repeating: "k", count: StoreKey.maximumLength + 1)
        for key in [long, "\u{0}larder.x"] {
            #expect(throws: StoreError.self) { try store.get(key) }
            #expect(throws: StoreError.self) { try store.get(StoreKey(key).rememberingHash()) }
        }
        #expect(try store.get("\u{0}") == nil)
        #expect(try store.verify().isIntact)
    }

    @Test func lockFreeReadDoesNotReturnExpiredValue() throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "key")
        try store.set(2, for: "key", until: Date(timeIntervalSince1970: 1))
        #expect(try store.get("key") == nil)
        try store.set(3, for: "key")
        #expect(try store.get("key") == 3)
        #expect(try store.verify().isIntact)
    }

    @Test func lockFreeReadOfClosedStoreThrows() throws {
        let store = try DeviceStore(path: path)
        try store.set(1, for: "key")
        try store.closeNow()
        #expect(throws: StoreError.self) { try store.get("key") }
        #expect(throws: StoreError.self) { try store.get(StoreKey("key")) }
        #expect(try DeviceStore(path: path).verify().isIntact)
    }

    // MARK: Many threads

    /// The number of writes.
    ///
    /// ThreadSanitizer slows each write down by a factor of a hundred.
    static let commits = 3_000

    @Test func concurrentReadersNeverSeeTornValues() throws {
        let store = try DeviceStore(path: path)
        try race(writing: store, reading: store)
        #expect(try store.verify().isIntact)
    }

    @Test func readersInAnotherProcessNeverSeeTornValues() throws {
        var options = DeviceStoreOptions()
        options.environment.isShared = false
        let writer = try DeviceStore(path: path, options: options)
        let reader = try DeviceStore(path: path, options: options)
        try race(writing: writer, reading: reader)
        #expect(try reader.verify().isIntact)
    }

    /// Writes on one thread while three other threads read as fast as they can.
    ///
    /// The writer changes two keys in one commit, changes the representation of a third value, adds and removes more keys than the table
    /// holds, and compacts now and then.
    private func race(writing store: DeviceStore, reading other: DeviceStore) throws {
        let isDone = Atomic(false)
        let complaints = Mutex<[String]>([])
        try store.set(Self.forms(0)[0], for: "form")
        var first = StoreBatch()
        for key in Self.pair { first.set(0, for: key) }
        _ = try store.commit(first)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                if thread == 0 {
                    defer { isDone.store(true, ordering: .releasing) }
                    try Self.write(store)
                } else {
                    var last: Int64 = 0
                    repeat { try Self.read(other, &last) } while !isDone.load(ordering: .acquiring)
                }
            } catch {
                complaints.withLock { $0.append("\(error)") }
            }
        }
        #expect(complaints.withLock(\.self) == [])
    }

    /// Makes the index hold the address of a key that doesn't fit in its entry, and then stores another key at that address.
    @Test func lockFreeReadersNeverFollowStalePointers() throws {
        let store = try DeviceStore(path: path)
        let long = "a key that is long enough to lie elsewhere"
        let isDone = Atomic(false)
        let complaints = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                if thread == 0 {
                    defer { isDone.store(true, ordering: .releasing) }
                    // Each key takes the entry that the other one has released.
                    for number in 1...Int64(Self.commits) {
                        try store.set(.int(number), for: long)
                        try store.remove(StoreKey(long))
                        try store.set(.int(number), for: "sixteen bytes...")
                        try store.remove("sixteen bytes...")
                    }
                } else {
                    repeat {
                        guard let found = try store.get(long) else { continue }
                        guard case .int = found else { throw Torn(what: "\(found)") }
                    } while !isDone.load(ordering: .acquiring)
                }
            } catch {
                complaints.withLock { $0.append("\(error)") }
            }
        }
        #expect(complaints.withLock(\.self) == [])
        #expect(try store.verify().isIntact)
    }

    private struct Torn: Error { var what: String }

    private static let pair: [StoreKey] = [
        "first", StoreKey("a second key that is long enough to lie elsewhere").rememberingHash(),
    ]

    private static func write(_ store: DeviceStore) throws {
        for number in 1...Int64(commits) {
            var batch = StoreBatch()
            for key in pair { batch.set(.int(number), for: key) }
            batch.set(forms(number)[Int(number) % forms(number).count], for: "form")
            batch.set(.int(number), for: StoreKey("more\(number)"))
            if number > 200 { batch.remove(StoreKey("more\(number - 200)")) }
            _ = try store.commit(batch)
            if number % 500 == 0 { try store.compact() }
        }
    }

    /// Returns the same number in every in-memory representation.
    private static func forms(_ number: Int64) -> [StoredValue] {
        [
            .int(number), .double(Double(number)), .string("\(number)"), .string("a long text about \(number)"),
            .data(Data("\(number)".utf8)),
        ]
    }

    private static func read(_ store: DeviceStore, _ last: inout Int64) throws {
        let first = try #require(try store.value(Int64.self, for: pair[0]))
        let second = try #require(try store.value(Int64.self, for: pair[1]))
        guard first >= last, second >= first else { throw Torn(what: "\(last), \(first), \(second)") }
        last = second
        let form = try store.get("form")
        let number: Int64? =
            switch form {
            case .int(let number)?: number
            case .double(let number)?: Int64(number)
            case .string(let text)?: Int64(text.split(separator: " ").last ?? "")
            case .data(let data)?: Int64(String(decoding: data, as: UTF8.self))
            default: nil
            }
        guard let number, number >= second || number == 0, forms(number).contains(where: { $0 == form }) else {
            throw Torn(what: "\(String(describing: form)) after \(second)")
        }
        if case .int(let more)? = try store.get("more\(last)"), more != last { throw Torn(what: "\(more) for \(last)") }
    }
}
