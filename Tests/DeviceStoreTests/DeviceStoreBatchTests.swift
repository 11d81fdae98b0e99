import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Testing

/// Tests of batches, including batches that are rejected as a whole wherever their invalid write is.
@Suite struct DeviceStoreBatchTests {
    private static let tooDeep = (0..<StoredValue.maximumDepth + 1).reduce(StoredValue.int(1)) { inner, _ in
        .array([inner])
    }
    private static let tooLong = StoreKey(String(repeating: "k", count: StoreKey.maximumLength + 1))
    private static let reserved = StoreKey("\u{0}larder.mine")

    private static func refused() -> [StoreBatch] {
        let reasons: [(inout StoreBatch) -> Void] = [
            { $0.set(1, for: tooLong) }, { $0.set(1, for: reserved) }, { $0.remove(reserved) },
            { $0.set(.null, for: "a") }, { $0.set(tooDeep, for: "a") },
        ]
        return reasons.flatMap { addReason in
            var (alone, behind, superseded, expecting) = (StoreBatch(), StoreBatch(), StoreBatch(), StoreBatch())
            addReason(&alone)
            behind.set(2, for: "b")
            addReason(&behind)
            // A duplicate key, of which only the last write counts.
            superseded.set(2, for: "b")
            superseded.set(3, for: "b")
            addReason(&superseded)
            superseded.set(4, for: "a")
            expecting.expect(.int(-1), at: "b")
            addReason(&expecting)
            return [alone, behind, superseded, expecting]
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func batchWithInvalidWriteChangesNothing(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        var options = DeviceStoreOptions()
        options.io = io
        let store = try DeviceStore(path: directory.path("s.larder"), options: options)
        try store.set(0, for: "b")
        for batch in Self.refused() {
            #expect(throws: StoreError.self) { try store.commit(batch) }
        }
        #expect(try store.keys() == ["b"])
        #expect(try store.get("b") == 0)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [1_000, 701, 300])
    func batchWithAllKindsOfWritesIsSingleCommit(io: DeviceStoreOptions.IO, _ keys: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        var options = DeviceStoreOptions()
        options.io = io
        let store = try DeviceStore(path: path, options: options)
        var expected: [String: StoredValue] = [:]
        for round in 0..<3 {
            var batch = StoreBatch()
            for number in 0..<1_000 {
                // With fewer keys than writes, some keys occur twice, hundreds of writes apart.
                let key = Self.key(number * 7 % keys)
                let value = Self.value(number + round)
                batch.write(value, for: key)
                expected[key.text] = value
            }
            #expect(try store.commit(batch))
        }
        let reopened = try DeviceStore(path: path, options: options)
        #expect(try Dictionary(uniqueKeysWithValues: reopened.entries().map { ($0.key, $0.value) }) == expected)
        #expect(try reopened.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, [1, 17, 18, 60])
    func internalBatchCanWriteReservedKeys(io: DeviceStoreOptions.IO, length: Int) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        var options = DeviceStoreOptions()
        options.io = io
        let key = StoreKey(reserved: String(repeating: "n", count: length))
        let store = try DeviceStore(path: path, options: options)
        var batch = StoreBatch()
        batch.set(1, for: key)
        #expect(try store.commit(batch))
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        #expect(try again.get(key) == 1)
        #expect(try again.verify().isIntact)
    }

    /// Returns a key of 2 to 50 bytes, with or without a prefix.
    ///
    /// Some keys have a cached hash.
    private static func key(_ number: Int) -> StoreKey {
        switch number % 8 {
        case 0: StoreKey("k\(number)")
        case 1: StoreKey("\(number)", prefix: "a prefix of more than fifteen bytes.")
        case 2: StoreKey("a name of more than fifteen bytes, \(number)").rememberingHash()
        case 3: StoreKey("\(number)", prefix: "p.")
        case 4: StoreKey("\(number)").rememberingHash()
        case 5: StoreKey("\(number)" + String(repeating: "x", count: number % 23))
        case 6: StoreKey("\(number)", prefix: String(repeating: "y", count: number % 23))
        default: StoreKey("a name of so many bytes \(number)")
        }
    }

    /// Returns an integer in most cases, and otherwise a string, a value that is stored only in the file, or `nil` for a removal.
    private static func value(_ number: Int) -> StoredValue? {
        switch number % 12 {
        case 3: .string("text \(number)")
        case 5: nil
        case 7: .double(Double(number) / 3)
        case 9 where number % 36 == 9: .data(Data(repeating: UInt8(truncatingIfNeeded: number), count: 70_000))
        default: .int(Int64(number) << (number % 40))
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func syncedAndBufferedCommitsCanBeInterleaved(io: DeviceStoreOptions.IO) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("s.larder")
        var options = DeviceStoreOptions()
        options.io = io
        let store = try DeviceStore(path: path, options: options)
        for number in 0..<Int64(500) {
            try store.set(
                .int(number),
                for: StoreKey("key\(number % 7)"),
                durability: number % 50 == 3 ? .synced : .buffered
            )
        }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        #expect(try (0..<7).map { try again.get(StoreKey("key\($0)")) } == [497, 498, 499, 493, 494, 495, 496])
        #expect(try again.verify().isIntact)
    }
}
