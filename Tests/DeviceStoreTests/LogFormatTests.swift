import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// The format document's rules, on values without any disk.
@Suite struct LogFormatTests {
    private let header = LogHeader(
        fileIdentifier: (0..<16).map { UInt8($0) },
        generation: 1,
        slotNumber: 1,
        snapshotEnd: 4096,
        syncedMark: 4096
    )

    private var frame: [UInt8] {
        var builder = LogFrameBuilder()
        builder.begin()
        Array("answer".utf8).withUnsafeBytes { key in
            ([0x03, 0x54] as [UInt8]).withUnsafeBytes { builder.set(key, $0) }
        }
        Array("old".utf8).withUnsafeBytes { builder.remove($0) }
        builder.seal(seed: header.seed, sequence: 1)
        return Array(builder.bytes)
    }

    @Test func theLockIsWhereTheFormatDocumentSays() {
        #expect(LogFormat.Control.waitingBit == 1 << 31)
        #expect(LogFormat.Control.firstMemberLock == 1 << 40)
        #expect(LogFormat.Control.memberLimit == 1 << 31)
    }

    @Test func theChecksumIsTheStandardOneByInstructionAndByTable() {
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

    @Test func whatAChecksumBeganWithFollowsFromWhatItCameTo() {
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

    @Test func aFrameIsValidInItsFileGenerationAndPlaceOnly() {
        let frame = frame
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

    @Test func everyFlippedBitOfAFrameOrASlotIsFound() {
        let (frame, slot) = (frame, header.slot)
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

    @Test func variableNumbersHaveOneForm() {
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

    @Test func theIndexAgreesWithADictionary() {
        var generator = SplitMix64(seed: 1)
        var index = DeviceIndex(hash: KeyHash(1, 2))
        var model: [String: Int] = [:]
        for position in 1...20_000 {
            let key = "key\(Int.random(in: 0..<700, using: &generator))"
            Array(key.utf8).withUnsafeBytes { bytes in
                let hash = index.hash(bytes)
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
