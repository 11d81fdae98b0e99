import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

@Suite struct DeviceStoreCorruptionTests {
    /// Returns the bytes and the content of a small store that was closed cleanly.
    private func smallStore() throws -> (bytes: [UInt8], end: Int, contents: [String: StoredValue]) {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 0..<12 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.set(.string("a longer text that takes some room"), for: "text")
        try store.remove("key3")
        let contents = try store.contents()
        try store.close()
        let file = try fixture.disk.open(StoreFixture.path, .reading)
        let bytes = try file.read(at: 0, count: file.information().size)
        let end = (bytes.lastIndex { $0 != 0 } ?? 0) / 8 * 8 + 8
        // Omits most of the reserved space to save time.
        return (Array(bytes.prefix(end + 64)), end, contents)
    }

    private func disk(_ bytes: [UInt8], _ io: DeviceStoreOptions.IO = .systemCalls) -> StoreFixture {
        StoreFixture(
            SimulatedFileSystem(directories: ["/data"], files: [StoreFixture.path: bytes], isRecording: false),
            io: io
        )
    }

    @Test func flippedBitInCommitIsDetectedAndLosesAtMostOneCommit() throws {
        let (bytes, end, contents) = try smallStore()
        for offset in stride(from: 4096, to: end, by: ProofVolume.step) {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                let fixture = disk(damaged)
                let error = #expect(throws: StoreError.self) { try fixture.open() }
                #expect(error?.code == .damaged)
                if bit != offset % 8 { continue }
                let store = try fixture.open { $0.damage = .readOnly }
                let damage = try #require(store.damage)
                #expect(damage.ranges.contains { $0.contains(offset) })
                #expect(damage.missingCommits <= 1)
                let found = try store.entries(prefix: "")
                let doubtful = Set(damage.keysInDoubt)
                for entry in found where !doubtful.contains(entry.key) {
                    #expect(contents[entry.key] == entry.value)
                }
                // One commit holds one key, so all others must be present.
                #expect(contents.keys.filter { key in !found.contains { $0.key == key } }.count <= 1)
                #expect(throws: StoreError.self) { try store.set(.int(1), for: "x") }
            }
        }
    }

    @Test func flippedBitInHeaderIsHarmless() throws {
        let (bytes, _, contents) = try smallStore()
        for offset in Array(0..<512) + Array(2048..<2560) + Array(stride(from: 512, to: 4096, by: 61)) {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset % 8)
            let store = try disk(damaged).open()
            #expect(try store.contents() == contents)
        }
    }

    @Test func logTruncatedAtAnyLengthIsDetectedAsCorrupt() throws {
        let (bytes, end, _) = try smallStore()
        for length in 0..<end {
            let fixture = disk(Array(bytes[..<length]))
            let error = #expect(throws: StoreError.self) { try fixture.open() }
            #expect(error?.code == .damaged)
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func repairKeepsIntactEntriesAndCopiesCorruptFile(io: DeviceStoreOptions.IO) throws {
        var (bytes, _, contents) = try smallStore()
        // In the third commit of one entry, 32 bytes each.
        bytes[4096 + 2 * 32 + 20] ^= 0xFF
        let fixture = disk(bytes, io)
        let damage = try #require(try DeviceStore.repair(at: StoreFixture.path, options: fixture.options()))
        #expect(damage.copy == StoreFixture.path + ".damaged-1")
        #expect(
            try fixture.disk.open(StoreFixture.path + ".damaged-1", .reading).read(at: 0, count: bytes.count) == bytes
        )
        let store = try fixture.open()
        contents["key2"] = nil
        #expect(try store.contents() == contents)
        #expect(damage.keysInDoubt == ["key0", "key1"])
        #expect(try store.verify().isIntact)
        try store.set(.int(7), for: "key2")
        #expect(try store.get("key2") == .int(7))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func openWithQuarantineRepairsCorruptStore(io: DeviceStoreOptions.IO) throws {
        var (bytes, _, _) = try smallStore()
        bytes[4096 + 40] ^= 1
        let fixture = disk(bytes, io)
        let store = try fixture.open { $0.damage = .quarantine }
        #expect(store.damage?.missingCommits == 1)
        #expect(try store.get("key5") == .int(5))
        try store.set(.int(1), for: "new")
        try store.close()
        let again = try fixture.open()
        #expect(try again.get("new") == .int(1))
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: [DeviceStoreOptions.DamagePolicy.readOnly, .quarantine])
    func repairRecoversEntriesAfterHeaderLoss(policy: DeviceStoreOptions.DamagePolicy) throws {
        var (bytes, _, contents) = try smallStore()
        bytes.replaceSubrange(0..<4096, with: [UInt8](repeating: 0xA5, count: 4096))
        let fixture = disk(bytes)
        #expect(throws: StoreError.self) { try fixture.open() }
        let store = try fixture.open { $0.damage = policy }
        #expect(try store.contents() == contents)
        #expect(store.damage?.ranges == [0..<4096])
    }

    @Test func repairRecoversLaterEntriesAfterLossOfHeaderAndFirstCommit() throws {
        var (bytes, _, contents) = try smallStore()
        bytes.replaceSubrange(0..<4120, with: [UInt8](repeating: 0, count: 4120))
        let fixture = disk(bytes)
        let damage = try #require(try DeviceStore.repair(at: StoreFixture.path, options: fixture.options()))
        #expect(damage.missingCommits == 1)
        let store = try fixture.open()
        contents["key0"] = nil
        #expect(try store.contents() == contents)
        #expect(try store.verify().isIntact)
    }

    @Test func openingCorruptStoreLeavesFileUnchangedByDefault() throws {
        var (bytes, _, _) = try smallStore()
        bytes[4100] ^= 1
        let fixture = disk(bytes)
        for _ in 0..<3 { #expect(throws: StoreError.self) { try fixture.open() } }
        #expect(try fixture.disk.open(StoreFixture.path, .reading).read(at: 0, count: bytes.count + 1) == bytes)
    }

    /// Writes the older content into the existing file, as `cp` does.
    @Test(arguments: [false, true])
    func olderLogCopyIsRejectedIfControlFileIsCurrent(isReadOnly: Bool) throws {
        let fixture = StoreFixture()
        func bytes() throws -> [UInt8] {
            let file = try fixture.disk.open(StoreFixture.path, .reading)
            return try file.read(at: 0, count: file.information().size)
        }
        let store = try fixture.open()
        try store.set(1, for: "a")
        try store.flushNow()
        let older = try bytes()
        try store.set(2, for: "a")
        try store.closeNow()
        let file = try fixture.disk.open(StoreFixture.path, .writing)
        try file.truncate(to: 0)
        try file.write(older, at: 0)
        let names = try fixture.disk.contentsOfDirectory(at: "/data").sorted()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try fixture.open { $0.isReadOnly = isReadOnly } }
            #expect(error?.code == .damaged && error?.path == StoreFixture.path)
            #expect(error?.message.contains(".ctl\" records commits that are missing") == true)
            #expect(error?.message.contains("remove that file while no process has the store open") == true)
            #expect(try bytes() == older)
            #expect(try fixture.disk.contentsOfDirectory(at: "/data").sorted() == names)
        }
        try fixture.disk.remove(StoreFixture.path + ".ctl")
        let opened = try fixture.open()
        #expect(try opened.contents() == ["a": 1])
        #expect(try opened.verify().isIntact)
    }

    @Test func logInNewerFormatIsRejectedAndLeftUnchanged() throws {
        var (bytes, _, _) = try smallStore()
        for slot in [0, 2048] {
            bytes[slot + 8] = 2
            let checksum = bytes.withUnsafeBytes { CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[slot..<slot + 508])) }
            withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(slot + 508..<slot + 512, with: $0) }
        }
        let fixture = disk(bytes)
        let error = #expect(throws: StoreError.self) { try fixture.open { $0.damage = .quarantine } }
        #expect(error?.code == .newerFormat)
        #expect(try fixture.disk.open(StoreFixture.path, .reading).read(at: 0, count: bytes.count) == bytes)
    }

    @Test(arguments: [[], Array("not a store at all".utf8), [UInt8](repeating: 0, count: 10_000)])
    func openRejectsForeignFileAndLeavesItUnchanged(bytes: [UInt8]) throws {
        let fixture = disk(bytes)
        let error = #expect(throws: StoreError.self) { try fixture.open() }
        #expect(error?.code == .damaged)
        #expect(error?.offset == 0)
        #expect(try fixture.disk.open(StoreFixture.path, .reading).read(at: 0, count: 20_000) == bytes)
    }

    /// Checks that a key must be valid UTF-8.
    ///
    /// Listings would merge other keys, and no call could read or remove them.
    @Test(arguments: [[0x95], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("eight by".utf8) + [0xE2, 0x82]])
    func nonUTF8KeyInvalidatesCommit(key: [UInt8]) throws {
        func entry(_ key: [UInt8], _ number: UInt8) -> [UInt8] { [1, UInt8(key.count), 2] + key + [3, 2 * number] }
        let commits = [entry(Array("a".utf8), 1), entry(key, 2), entry(Array("b".utf8), 3)]
        let store = try disk(HandmadeLog.header() + HandmadeLog.frames(commits)).open()
        #expect(try store.contents() == ["a": .int(1)])
        #expect(try store.verify().isIntact)
    }

    /// Checks an expiry that Larder never writes, but another program may.
    @Test func largeValueWithMaximumExpiryIsReadable() throws {
        let text = String(repeating: "x", count: 20_000)
        let textLength = [UInt8(text.utf8.count & 127) | 128, UInt8(text.utf8.count >> 7 & 127) | 128, 1]
        let value = [7] + textLength + Array(text.utf8)
        let length = [UInt8(value.count & 127) | 128, UInt8(value.count >> 7 & 127) | 128, 1]
        let until = [UInt8](repeating: 0xFF, count: 7) + [0x7F]
        let store = try disk(HandmadeLog.header() + HandmadeLog.frames([[2, 1] + length + until + [0x61] + value]))
            .open()
        #expect(try store.get("a") == .string(text))
        #expect(try store.verify().isIntact)
    }

    @Test func oversizedKeyInvalidatesCommit() throws {
        func commit(_ length: Int) -> [UInt8] {
            [1, UInt8(length % 128) | 0x80, UInt8(length / 128), 2] + [UInt8](repeating: 0x61, count: length) + [3, 2]
        }
        let good = try disk(HandmadeLog.header() + HandmadeLog.frames([commit(4096)])).open()
        #expect(try good.keys().map(\.utf8.count) == [4096])
        let bad = try disk(HandmadeLog.header() + HandmadeLog.frames([commit(4097)])).open()
        #expect(try bad.keys().isEmpty)
        for store in [good, bad] { #expect(try store.verify().isIntact) }
    }
}
