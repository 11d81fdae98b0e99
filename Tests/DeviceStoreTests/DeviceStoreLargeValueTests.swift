import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

/// Tests that values that stay in the file are read directly into their own memory, and that their checksum is computed only once.
@Suite struct DeviceStoreLargeValueTests {
    /// The sizes of the values, which are one block, one page more than a block, several blocks, and just too large for memory.
    private static let sizes = [16_384, 40_000, 65_536, 69_632, 1_000_000]

    private static func bytes(_ count: Int, _ seed: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) })
    }

    private static func values(_ count: Int, _ seed: Int) -> [StoredValue] {
        [
            .data(bytes(count, seed)), .string(String(repeating: "é\(seed % 10)", count: count / 3)),
            .url("https://example.org/" + String(repeating: "a\(seed % 10)", count: count / 2)),
            (0..<count / 4).map { 10_000 &+ $0 &* seed }.storedValue,
            ["data": .data(bytes(count, seed)), "negative": [-1, .int(.min), .int(.max), .null]],
        ]
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases, sizes)
    func largeValuesOfEveryTypeRoundTrip(io: DeviceStoreOptions.IO, size: Int) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        // In the second round, one commit sets all values.
        for (round, isBatch) in [(3, false), (7, true)] {
            let values = Self.values(size, round)
            var batch = StoreBatch()
            for (number, value) in values.enumerated() {
                batch.set(.int(Int64(round)), for: StoreKey("small\(number)"))
                batch.set(value, for: StoreKey("key\(number)"))
                if !isBatch { try store.set(value, for: "key\(number)") }
            }
            if isBatch { #expect(try store.commit(batch)) }
            let other = try fixture.open()
            for (number, value) in values.enumerated() {
                #expect(try store.get("key\(number)") == value)
                #expect(try other.get("key\(number)") == value)
            }
            #expect(try other.verify().isIntact)
        }
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func mutatingReturnedDataDoesNotChangeStore(io: DeviceStoreOptions.IO) throws {
        let store = try StoreFixture(io: io).open()
        let original = Self.bytes(40_000, 1)
        try store.set(.data(original), for: "key")
        guard case .data(var data) = try store.get("key") else {
            Issue.record("No data is stored.")
            return
        }
        let copy = data
        data[0] = 77
        data.append(contentsOf: original)
        data.replaceSubrange(10..<20, with: [1, 2, 3])
        #expect(copy == original)
        #expect(data.count == 80_000 - 7)
        #expect(data[0] == 77)
        #expect(data.suffix(40_000).elementsEqual(original))
        // The value is written from the memory into which it was read.
        try store.set(.data(data), for: "key")
        try store.set(.data(copy.prefix(20_000)), for: "other")
        try store.set(.data(copy.prefix(5)), for: "small")
        #expect(try store.get("key") == .data(data))
        #expect(try store.get("other") == .data(original.prefix(20_000)))
        #expect(try store.get("small") == .data(original.prefix(5)))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func emptyAndLargeValuesCanReplaceEachOther(io: DeviceStoreOptions.IO) throws {
        let store = try StoreFixture(io: io).open()
        for empty: StoredValue in [.data(Data()), .string(""), [], [:]] {
            for value in [.data(Self.bytes(40_000, 2)), empty, .data(Self.bytes(40_000, 2))] {
                try store.set(value, for: "key")
                #expect(try store.get("key") == value)
            }
        }
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func batchDoesNotRewriteUnchangedLargeValue(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        let values = Self.values(40_000, 5)
        for (number, value) in values.enumerated() { try store.set(value, for: "key\(number)") }
        let before = try store.statistics().usedBytes
        // The value that differs follows, precedes or lies between those that are dropped from the frame.
        for changed in values.indices {
            var batch = StoreBatch()
            for (number, value) in values.enumerated() {
                batch.set(number == changed ? .data(Self.bytes(20_000, changed)) : value, for: StoreKey("key\(number)"))
            }
            #expect(try store.commit(batch))
            #expect(try store.get("key\(changed)") == .data(Self.bytes(20_000, changed)))
            try store.set(values[changed], for: "key\(changed)")
        }
        #expect(try store.statistics().usedBytes < before + 5 * 100_000)
        let other = try fixture.open()
        for (number, value) in values.enumerated() { #expect(try other.get("key\(number)") == value) }
        #expect(try other.verify().isIntact)
    }

    /// Lets another process write a longer value after the reader has located the old one.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func readDuringReplacementReturnsOldOrNewValue(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let meddled = MeddledFileSystem(.reading, StoreFixture.path, on: fixture.disk)
        let writer = try fixture.open()
        let reader = try fixture.open { $0.environment.fileSystem = meddled }
        for round in 1...10 {
            let (old, new) = (Self.bytes(20_000 * round, round), Self.bytes(20_000 * round + 9_999, round + 1))
            try writer.set(.data(old), for: "key")
            #expect(try reader.get("key") == .data(old))
            meddled.once {
                #expect(throws: Never.self) { try writer.set(.data(new), for: "key") }
                if round % 2 == 0 { #expect(throws: Never.self) { try writer.compact() } }
            }
            let read = try reader.get("key")
            #expect(read == .data(old) || read == .data(new))
            #expect(try reader.get("key") == .data(new))
        }
        #expect(try reader.verify().isIntact)
        #expect(try writer.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func readingCorruptLargeValueThrows(io: DeviceStoreOptions.IO) throws {
        for (number, value) in Self.values(40_000, 6).enumerated() {
            let fixture = StoreFixture(io: io)
            let store = try fixture.open()
            try store.set(value, for: "key")
            let log = try fixture.disk.open(StoreFixture.path, .writing)
            let encoded = try value.encoded()
            let bytes = try log.read(at: 0, count: try log.information().size)
            let start = try #require(bytes.firstRange(of: encoded.prefix(64))?.lowerBound)
            // The offsets of the tag, of a length, and of bytes in the middle and at the end.
            for offset in [0, 1, 2, encoded.count / 2, encoded.count - 1] {
                let right = encoded[offset]
                try log.write([right ^ 0x10], at: start + offset)
                #expect { try store.get("key") } throws: { ($0 as? StoreError)?.code == .damaged }
                #expect(try !store.verify().isIntact)
                try log.write([right], at: start + offset)
                #expect(try store.get("key") == value, "value \(number)")
            }
            #expect(try store.verify().isIntact)
        }
    }
}
