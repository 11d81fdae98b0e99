import Foundation
import LarderCore
import LarderFiles
import Testing

@testable import LarderDeviceStore

/// Tests that scan for frames in bytes, without a file or an engine.
@Suite struct FrameScannerTests {
    private let seed: UInt32 = 0x1234_5678
    /// The offset of the bytes in the file.
    private let origin = LogFormat.headerSize

    /// A log of three consecutive frames.
    ///
    /// Each sets a key to its number.
    private var log: [UInt8] {
        get throws {
            try (1...3).flatMap { try frame(key: "key \($0)", number: Int64($0), UInt64($0)) }
        }
    }

    private func frame(key: String, number: Int64, _ sequence: UInt64, flags: UInt16 = 0) throws -> [UInt8] {
        try frame(keyBytes: Array(key.utf8), number: number, sequence, flags: flags)
    }

    private func frame(keyBytes: [UInt8], number: Int64, _ sequence: UInt64, flags: UInt16 = 0) throws -> [UInt8] {
        var builder = LogFrameBuilder()
        builder.begin()
        try keyBytes.withUnsafeBytes {
            try builder.set(KeyWords($0), .int(number), size: StoredValue.encodedSize(of: number))
        }
        builder.seal(seed: seed, sequence: sequence, flags: flags)
        return Array(builder.bytes)
    }

    private func scanner(_ bytes: UnsafeRawBufferPointer, limit: Int? = nil, copiedOnly: Bool = false) -> FrameScanner {
        FrameScanner(bytes, at: origin, seed: seed, limit: limit ?? bytes.count, copiedOnly: copiedOnly)
    }

    /// Returns the keys of all consecutive frames.
    ///
    /// Also returns the number of bytes that the scanner needs, if it stopped for that reason.
    private func scan(_ scanner: inout FrameScanner) -> (keys: [String], needed: Int?) {
        var keys: [String] = []
        while true {
            switch scanner.next() {
            case .frame(let found):
                found.forEachEntry { entry, position in
                    #expect(found.range.contains(position))
                    keys.append(String(decoding: found.bytes.slice(entry.key), as: UTF8.self))
                }
                #expect(found.end == scanner.position)
            case .needs(let count): return (keys, count)
            case .nothing: return (keys, nil)
            }
        }
    }

    @Test func frameScannerFindsFramesInOrder() throws {
        let log = try log
        log.withUnsafeBytes { bytes in
            var scanner = scanner(bytes)
            let (keys, needed) = scan(&scanner)
            #expect(keys == ["key 1", "key 2", "key 3"])
            #expect(needed == nil)
            #expect(scanner.position == LogPosition(offset: origin + log.count, sequence: 4))
        }
    }

    @Test func scanOfTruncatedFrameReturnsRequiredByteCount() throws {
        let log = try log
        let length = log.count / 3
        for count in 0..<log.count {
            log.prefix(count).withUnsafeBytes { bytes in
                var scanner = scanner(bytes, limit: log.count)
                let (keys, needed) = scan(&scanner)
                #expect(keys.count == count / length)
                let hasPrologue = count % length >= LogFormat.prologueSize
                #expect(needed == (hasPrologue ? length : LogFormat.prologueSize))
                #expect(scanner.position.offset == origin + count / length * length)
            }
        }
    }

    @Test func frameEndingBeyondLogIsInvalid() throws {
        let log = try log
        log.withUnsafeBytes { bytes in
            var scanner = scanner(bytes, limit: log.count - 1)
            let (keys, needed) = scan(&scanner)
            #expect(keys == ["key 1", "key 2"])
            #expect(needed == nil)
        }
    }

    @Test func frameWithUnexpectedSequenceNumberIsNotFound() throws {
        let bytes = try frame(key: "a", number: 1, 1) + frame(key: "c", number: 3, 3)
        bytes.withUnsafeBytes { bytes in
            var scanner = scanner(bytes)
            #expect(scan(&scanner).keys == ["a"])
        }
    }

    @Test func frameWithNonUTF8KeyIsInvalid() throws {
        let bytes = try frame(key: "a", number: 1, 1) + frame(keyBytes: [0xFF, 0xFE], number: 2, 2)
        bytes.withUnsafeBytes { bytes in
            var scanner = scanner(bytes)
            #expect(scan(&scanner).keys == ["a"])
            #expect(scanner.position.sequence == 2)
        }
    }

    @Test func scanOfCopiedFramesStopsAtFirstOtherFrame() throws {
        let bytes =
            try frame(key: "copied", number: 1, 1, flags: LogFormat.FrameFlags.snapshot)
            + frame(key: "new", number: 2, 2)
        bytes.withUnsafeBytes { bytes in
            var all = scanner(bytes)
            #expect(scan(&all).keys == ["copied", "new"])
            var copied = scanner(bytes, copiedOnly: true)
            #expect(scan(&copied).keys == ["copied"])
        }
    }

    @Test func scanResumesAfterCorruptionAndCountsLostFrames() throws {
        var log = try log
        let length = log.count / 3
        log[length + LogFormat.prologueSize] ^= 1
        log.withUnsafeBytes { bytes in
            var scanner = scanner(bytes)
            #expect(scan(&scanner).keys == ["key 1"])
            let damage = scanner.position
            let found = scanner.nextBehindDamage()
            #expect(found?.frame.sequence == 3)
            #expect(found?.range == origin + 2 * length..<origin + 3 * length)
            #expect(damage == LogPosition(offset: origin + length, sequence: 2))
            #expect(scanner.position.sequence == 4)
            #expect(scanner.nextBehindDamage() == nil)
        }
    }

    @Test func frameWithImpossibleSequenceNumberIsInvalid() throws {
        var bytes = try frame(key: "a", number: 1, 1)
        bytes += [UInt8](repeating: 0xAA, count: LogFormat.prologueSize)
        bytes += try frame(key: "far", number: 9, 9)
        bytes.withUnsafeBytes { bytes in
            var scanner = scanner(bytes)
            #expect(scan(&scanner).keys == ["a"])
            #expect(scanner.nextBehindDamage() == nil)
        }
    }
}
