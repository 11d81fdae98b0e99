import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// Tests of the index without a log file or an engine.
@Suite struct IndexTests {
    private let log: DeviceLog

    init() throws {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let file = try disk.open(
            "/data/s.larder",
            FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false)
        )
        log = try DeviceLog(file: file, header: .new(), needsFolderSync: false)
    }

    private static let word = StateWord(generation: 1, end: LogFormat.headerSize)

    private func make(_ values: [(String, StoredValue, until: Int64?)]) -> Index {
        var entries = DeviceIndex()
        for (number, (key, value, expiry)) in values.enumerated() {
            let entry = DeviceIndex.Entry(value: value, length: 9, checksum: 0, expiry: expiry)
            StoreKey(key).withWords { entries.set(entry, for: $0, hashed: entries.hash.of($0), at: 8 * number) }
        }
        return Index(entries, of: log, Self.word, lastFrame: 0..<0)
    }

    private static func look(_ key: String, in index: borrowing Index, at word: StateWord = word) -> Index.Lookup {
        StoreKey(key).withWords { index.find($0, index.entries.hash.of($0), at: word.rawValue) }
    }

    @Test func indexLookupDistinguishesInlineExpiringAndOnDiskValues() {
        let index = make([("a", 1, nil), ("b", 2, 1_000), ("c", .null, nil)])
        if case .found(let value) = Self.look("a", in: index) { #expect(value == 1) } else { Issue.record("a") }
        if case .absent = Self.look("x", in: index) {} else { Issue.record("x") }
        if case .expiring(let value, let expiry) = Self.look("b", in: index) {
            #expect(value == 2 && expiry == 1_000)
        } else {
            Issue.record("b")
        }
        if case .inFile(let value) = Self.look("c", in: index) { #expect(value.length == 9) } else { Issue.record("c") }
    }

    @Test func indexLookupReportsCommitByAnotherProcess() {
        let index = make([("a", 1, nil)])
        let later = StateWord(generation: 1, end: LogFormat.headerSize + 64)
        if case .behind = Self.look("a", in: index, at: later) {} else { Issue.record("not behind") }
    }

    @Test func expiredAndReservedEntriesAreNotListed() {
        let index = make([("a1", 1, nil), ("a2", 2, 1_000), ("b", 3, nil), (StoreKey.reservedPrefix + "x", 4, nil)])
        func keys(_ prefix: String, at now: Int64) -> [String] {
            var keys: [String] = []
            index.forEachKey(prefix: prefix, at: now) { _, key in keys.append(key) }
            return keys.sorted()
        }
        #expect(keys("", at: 999) == ["a1", "a2", "b"])
        #expect(keys("", at: 1_000) == ["a1", "b"])
        #expect(keys("a", at: 0) == ["a1", "a2"])
        #expect(index.holdsReservedRecords() == true)
        let other = make([("a", 1, nil)])
        #expect(other.holdsReservedRecords() == false)
    }

    @Test func applyingFrameOfAnotherProcessReturnsChanges() throws {
        var index = make([("a", 1, nil), ("b", 2, nil), ("c", 3, 500)])
        var builder = LogFrameBuilder()
        builder.begin()
        for (key, value) in [("a", StoredValue.int(1)), ("c", 30), ("d", 4)] {
            try StoreKey(key).withWords {
                try builder.set($0, value, size: LogValue.size(of: value))
            }
        }
        StoreKey("b").withWords { builder.remove($0) }
        builder.seal(seed: log.seed, sequence: 1)
        var scanner = FrameScanner(
            builder.bytes,
            at: LogFormat.headerSize,
            seed: log.seed,
            limit: builder.length
        )
        guard case .frame(let found) = scanner.next() else {
            Issue.record("no frame")
            return
        }
        let change = try index.change(by: found, at: 600) { _ in nil }
        #expect(change?.entries.map(\.key) == ["c", "d", "b"])
        #expect(change?.entries.map(\.old) == [nil, nil, 2])
        #expect(change?.entries.map(\.new) == [30, 4, nil])
        try index.apply(found, hash: index.entries.hash)
        #expect(index.commits == 1)
        #expect(index.lastFrame == found.range)
        #expect(index.entries.count == 3)
        #expect(try index.change(by: found, at: 0) { _ in nil }?.entries.isEmpty == true)
    }

    @Test func indexReplacesEntriesWhenLogFileChanges() throws {
        var index = make([("a", 1, nil)])
        index.lastFrame = 0..<8
        index.begin(log)
        #expect(index.lastFrame.isEmpty)
        var other = DeviceIndex(memory: index.entries.memory)
        index.replaceEntries(with: &other)
        #expect(index.entries.count == 0)
        #expect(other.count == 1)
    }
}
