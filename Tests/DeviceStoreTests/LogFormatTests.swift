import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// Tests of the rules in the format document that need no disk.
@Suite struct LogFormatTests {
    private let header = LogHeader(
        fileIdentifier: (0..<16).map { UInt8($0) },
        generation: 1,
        slotNumber: 1,
        snapshotEnd: 4096,
        syncedMark: 4096
    )

    private var frame: [UInt8] {
        get throws {
            var builder = LogFrameBuilder()
            builder.begin()
            try StoreKey("answer").withWords { try builder.set($0, .int(42), size: 2) }
            StoreKey("old").withWords { builder.remove($0) }
            builder.seal(seed: header.seed, sequence: 1)
            return Array(builder.bytes)
        }
    }

    @Test func interprocessLockIsAtDocumentedOffset() {
        #expect(LogFormat.Control.waitingBit == 1 << 31)
        #expect(LogFormat.Control.firstMemberLock == 1 << 40)
        #expect(LogFormat.Control.memberLimit == 1 << 31)
    }

    @Test func checksumIsCRC32CWithAndWithoutHardwareSupport() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        Array("123456789".utf8).withUnsafeBytes {
            #expect(CRC32C.of($0) == 0xE306_9283)
            #expect(CRC32C.byTable($0) == 0xE306_9283)
        }
        for count in [0, 1, 7, 8, 9, 63, 1000] {
            bytes.prefix(count).withUnsafeBytes {
                #expect(CRC32C.of($0, continuing: 9) == CRC32C.byTable($0, continuing: 9))
            }
        }
    }

    @Test func checksumIsCorrectForEveryLengthAndAlignment() {
        let bytes = (0..<2400).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ $0 >> 3) }
        bytes.withUnsafeBytes { bytes in
            for start in 0..<8 {
                for count in 0..<2390 {
                    let run = bytes.slice(start..<start + count)
                    guard CRC32C.of(run, continuing: 7) == CRC32C.byTable(run, continuing: 7) else {
                        Issue.record("\(count) bytes from \(start) on differ.")
                        return
                    }
                }
            }
        }
    }

    @Test func checksumsOfTwoByteRangesCanBeCombined() {
        let bytes = (0..<70_001).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 5) }
        let counts = Array(0...300) + [1 << 9, 1 << 12, (1 << 14) - 1, 40_004, (1 << 16) - 1, 1 << 16, 70_000]
        bytes.withUnsafeBytes { bytes in
            for seed: UInt32 in [0, 1, 0x87DA_ACA5, .max] {
                for count in counts {
                    for first in [0, 1, 37] where first + count <= bytes.count {
                        let beginning = CRC32C.of(bytes.slice(0..<first), continuing: seed)
                        let next = CRC32C.of(bytes.slice(first..<first + count))
                        let whole = CRC32C.byTable(bytes.slice(0..<first + count), continuing: seed)
                        guard CRC32C.combining(beginning, with: next, of: count) == whole else {
                            Issue.record("\(first) and \(count) bytes after \(seed) differ.")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test func precomputedValueChecksumsYieldSameFrameChecksum() throws {
        let values = [20_000, 0, 3, 70_000].map { StoredValue.data(Data(repeating: 0x5A, count: $0)) }
        func frame(summing summed: Set<Int>, without cut: Int? = nil) throws -> [UInt8] {
            var builder = LogFrameBuilder()
            builder.begin()
            for (number, value) in values.enumerated() {
                let (before, size) = (builder.length, LogValue.size(of: value))
                try StoreKey("key\(number)").withWords { try builder.set($0, value, size: size) }
                if summed.contains(number) {
                    let encoded = try value.encoded()
                    #expect(builder.checksumOfLastValue(size) == encoded.withUnsafeBytes { CRC32C.of($0) })
                }
                if number == cut { builder.cut(to: before) }
            }
            StoreKey("removed").withWords { builder.remove($0) }
            builder.seal(seed: header.seed, sequence: 1)
            return Array(builder.bytes)
        }
        for cut in [nil, 0, 1, 3] {
            let expected = try frame(summing: [], without: cut)
            for summed: Set<Int> in [[0], [3], [0, 3], [1, 2], [0, 1, 2, 3]] {
                #expect(try frame(summing: summed, without: cut) == expected)
            }
        }
    }

    @Test func checksumSeedIsRecoveredFromFrames() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        for count in [0, 1, 3, 4, 7, 8, 9, 63, 1000] {
            for beginning: UInt32 in [0, 1, 0x87DA_ACA5, .max] {
                bytes.prefix(count).withUnsafeBytes {
                    let end = CRC32C.of($0, continuing: beginning)
                    #expect(CRC32C.beginning(of: $0, endingIn: end) == beginning)
                }
            }
        }
    }

    @Test func frameIsInvalidInAnotherFileGenerationOrPosition() throws {
        let frame = try frame
        frame.withUnsafeBytes { bytes in
            let found = LogFrame.find(in: bytes, at: 0, seed: header.seed, sequences: 1...1, limit: bytes.count)
            #expect(found == .frame(LogFrame(offset: 0, length: 32, sequence: 1, flags: 0)))
            var next = header
            next.generation = 2
            #expect(LogFrame.find(in: bytes, at: 0, seed: next.seed, sequences: 1...1, limit: bytes.count) == .nothing)
            #expect(
                LogFrame.find(in: bytes, at: 0, seed: header.seed, sequences: 2...2, limit: bytes.count) == .nothing
            )
        }
    }

    @Test func flippedBitInFrameOrHeaderSlotIsDetected() throws {
        let (frame, slot) = (try frame, header.slot)
        for offset in 0..<frame.count * 8 {
            var bytes = frame
            bytes[offset / 8] ^= 1 << UInt8(offset % 8)
            let found = bytes.withUnsafeBytes {
                LogFrame.find(in: $0, at: 0, seed: header.seed, sequences: 1...1, limit: $0.count)
            }
            #expect(found == .nothing)
        }
        for offset in 0..<slot.count * 8 {
            var bytes = slot
            bytes[offset / 8] ^= 1 << UInt8(offset % 8)
            #expect(bytes.withUnsafeBytes { LogHeader.slot($0) } == .invalid)
        }
    }

    @Test func varintsHaveExactlyOneEncoding() {
        for number in [0, 1, 127, 128, 16_383, 16_384, 1 << 21, 1 << 28, (1 << 30) - 1] {
            var bytes = [UInt8](repeating: 0, count: 5)
            let end = bytes.withUnsafeMutableBytes { $0.store(variableNumber: number, at: 0) }
            bytes.removeSubrange(end...)
            #expect(bytes.count == variableNumberSize(number))
            #expect(bytes.withUnsafeBytes { $0.variableNumber(at: 0, before: $0.count)?.value } == number)
        }
        for wrong: [UInt8] in [[], [0x80], [0x80, 0x00], [0x80, 0x80, 0x80, 0x80, 0x80, 0x01]] {
            #expect(wrong.withUnsafeBytes { $0.variableNumber(at: 0, before: $0.count) } == nil)
        }
    }

    @Test func deviceIndexAgreesWithDictionary() throws {
        var generator = SplitMix64(seed: 1)
        var index = DeviceIndex(hash: KeyHash(1, 2))
        var model: [String: Int] = [:]
        for position in 1...20_000 {
            let key = "key\(Int.random(in: 0..<700, using: &generator))"
            StoreKey(key).withWords { bytes in
                let hash = index.hash.of(bytes)
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    index.remove(bytes, hashed: hash)
                    model[key] = nil
                } else {
                    let entry = DeviceIndex.Entry(value: .int(Int64(position)), length: 9, checksum: 0, expiry: nil)
                    index.set(entry, for: bytes, hashed: hash, at: position)
                    model[key] = position
                }
            }
        }
        #expect(index.count == model.count)
        for (key, position) in model {
            let found = Array(key.utf8).withUnsafeBytes { index.find($0) }
            #expect(found.map { index.position($0) } == position)
        }
    }
}
