#if Encryption
import DeviceStoreProofs
import Foundation
import LarderCore
import LarderFiles
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

/// Tests of the format document's example as a device store file.
///
/// Every later version must read it, and this version must write it.
@Suite struct GoldenFileTests {
    private let golden: [UInt8]
    private let records: [StoreKey: [UInt8]]

    init() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        golden = Array(try Data(contentsOf: tests.appendingPathComponent("Golden/encrypted-store-v1.larder")))
        let document = tests.appendingPathComponent("../../Documentation/Formats/encrypted-store-v1.md").standardized
        records = Self.records(of: try String(contentsOf: document, encoding: .utf8))
    }

    /// Returns the records that the example in the format document shows as bytes.
    private static func records(of document: String) -> [StoreKey: [UInt8]] {
        let example = document[(document.range(of: "## Worked example")?.upperBound ?? document.endIndex)...]
        var records: [StoreKey: [UInt8]] = [:]
        for row in example.matches(of: /\n\| `(?<name>[a-z0-9.]+)` \| (?<bytes>`[^|]+) \|(?=\n)/) {
            let name = String(row.name)
            let key = name.hasPrefix("larder") ? StoreKey(reserved: String(name.dropFirst(6))) : StoreKey(name)
            records[key] = row.bytes.filter { $0 != "`" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
        return records
    }

    /// Creates the golden file again.
    ///
    /// Only the file's identifier is fixed in advance.
    private func written() throws -> [UInt8] {
        let file = HandmadeLog.header() + [UInt8](repeating: 0, count: 4096)
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: file], isRecording: false)
        let base = try SimulatedStore(on: disk, .systemCalls).open()
        let store = try EncryptedStore(base, key: exampleKey, options: .init(), environment: .counting())
        try store.set(42, for: "pi")
        try expectIntact(store)
        let bytes = try disk.open(SimulatedStore.path, .reading).read(at: 0, count: 8192)
        // The header also records how much was synced, which differs; its beginning does not.
        return HandmadeLog.header() + bytes[4096..<(bytes.lastIndex { $0 != 0 } ?? 4096) / 8 * 8 + 8]
    }

    @Test func formatDocumentMatchesRecordsOfGoldenFile() throws {
        #expect(records.keys.sorted() == [headerRecord, saltRecord(0), "pi"].sorted())
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: golden], isRecording: false)
        let base = try SimulatedStore(on: disk, .systemCalls).open()
        for (key, bytes) in records { #expect(try base.get(key) == .data(Data(bytes)), "\(key)") }
        #expect(try base.get(epochRecord) == 1)
        #expect(try base.get(sessionsRecord) == 1)
        #expect(try base.keys() == ["pi"])
        #expect(try base.verify().isIntact)
    }

    @Test func encryptedStoreWritesGoldenFile() throws { #expect(try written() == golden) }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func goldenFileCanBeReadAndAppendedTo(io: DeviceStoreOptions.IO) throws {
        let disk = SimulatedFileSystem(directories: ["/data"], files: [SimulatedStore.path: golden], isRecording: false)
        let store = try EncryptedStore(SimulatedStore(on: disk, io).open(), key: exampleKey)
        #expect(try store.entries() == [StoreEntry(key: "pi", value: 42)])
        try store.set(43, for: "pi")
        try expectIntact(store)
        let again = try EncryptedStore(SimulatedStore(on: disk, io).open(), key: exampleKey)
        #expect(try again.get("pi") == 43)
        // The commits of the golden file are unchanged.
        let bytes = try disk.open(SimulatedStore.path, .reading).read(at: 4096, count: golden.count - 4096)
        #expect(bytes == Array(golden[4096...]))
    }
}
#endif
