import DeviceStoreProofs
import Foundation
import LarderCore
import LarderFiles
import LarderTestSupport
import Testing

@testable import LarderDeviceStore

/// Tests of the file in the format document's worked example.
///
/// Every later version must read it, and this version must write it.
@Suite struct GoldenFileTests {
    private let golden: [UInt8]

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        golden = Array(try Data(contentsOf: tests.appendingPathComponent("Golden/device-log-v1.larder")))
    }

    @Test func formatDocumentMatchesGoldenFile() throws {
        let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Documentation/Formats/device-log-v1.md")
        var shown: [Int: UInt8] = [:]
        for line in try String(contentsOf: document, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 8, let first = parts.first, first.count == 4, let offset = Int(first, radix: 16) else {
                continue
            }
            for (index, part) in parts.dropFirst().enumerated() { shown[offset + index] = UInt8(part, radix: 16) }
        }
        #expect(shown.count == 2 * (80 + 16) + 32)
        // Bytes that the document omits are zero.
        for (offset, byte) in golden.enumerated() {
            #expect(byte == shown[offset] ?? 0, "at \(offset)")
        }
    }

    @Test func writerProducesGoldenFile() throws {
        let header = LogHeader(
            fileIdentifier: (0..<16).map { UInt8($0) },
            generation: 1,
            slotNumber: 1,
            snapshotEnd: 4096,
            syncedMark: 4096
        )
        var frame = LogFrameBuilder()
        frame.begin()
        try StoreKey("answer").withWords { try frame.set($0, .int(42), size: 2) }
        StoreKey("old").withWords { frame.remove($0) }
        frame.seal(seed: header.seed, sequence: 1)
        #expect(header.block + frame.bytes == golden)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases) func goldenFileCanBeReadAndAppendedTo(
        io: DeviceStoreOptions.IO
    ) throws {
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: golden])
        let store = try SimulatedStore(on: disk, io).open()
        #expect(try store.contents() == ["answer": .int(42)])
        try store.set(.int(43), for: "answer")
        #expect(try store.verify() == StoreVerification(checkedEntries: 1))
        let bytes = try disk.open(SimulatedStore.path, .reading).read(at: 4096, count: 64)
        // The commits of the golden file are unchanged, and the next one follows.
        #expect(Array(bytes.prefix(32)) == Array(golden.suffix(32)))
        #expect(Array(bytes[40..<48]) == [2, 0, 0, 0, 0, 0, 0, 0])
    }
}
