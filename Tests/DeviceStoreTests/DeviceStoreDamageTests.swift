import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

@Suite struct DeviceStoreDamageTests {
    /// The bytes of a small store that was closed cleanly, and what is in it.
    private func smallStore() throws -> (bytes: [UInt8], end: Int, contents: [String: StoredValue]) {
        let lying = LyingStore()
        let store = try lying.open()
        for number in 0..<12 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.set(.string("a longer text that takes some room"), for: "text")
        try store.remove("key3")
        let contents = try store.contents()
        try store.close()
        let file = try lying.disk.open(LyingStore.path, .reading)
        let bytes = try file.read(at: 0, count: file.information().size)
        let end = (bytes.lastIndex { $0 != 0 } ?? 0) / 8 * 8 + 8
        // Most of what is reserved behind is left out, to be fast.
        return (Array(bytes.prefix(end + 64)), end, contents)
    }

    private func disk(_ bytes: [UInt8], _ io: DeviceStoreOptions.IO = .systemCalls) -> LyingStore {
        LyingStore(
            LyingFileSystem(directories: ["/data"], files: [LyingStore.path: bytes], isRecording: false),
            io: io
        )
    }

    @Test func everyBitOfTheCommitsIsWatchedAndCostsOneCommitAtMost() throws {
        let (bytes, end, contents) = try smallStore()
        for offset in stride(from: 4096, to: end, by: ProofVolume.step) {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[offset] ^= 1 << UInt8(bit)
                let lying = disk(damaged)
                let error = #expect(throws: StoreError.self) { try lying.open() }
                #expect(error?.code == .damaged)
                if bit != offset % 8 { continue }
                let store = try lying.open { $0.damage = .readOnly }
                let damage = try #require(store.damage)
                #expect(damage.ranges.contains { $0.contains(offset) })
                #expect(damage.missingCommits <= 1)
                let found = try store.entries(prefix: "")
                let doubtful = Set(damage.keysInDoubt)
                for entry in found where !doubtful.contains(entry.key) {
                    #expect(contents[entry.key] == entry.value)
                }
                // One commit holds one key: whatever else there was is there.
                #expect(contents.keys.filter { key in !found.contains { $0.key == key } }.count <= 1)
                #expect(throws: StoreError.self) { try store.set(.int(1), for: "x") }
            }
        }
    }

    @Test func everyBitOfTheHeaderIsHarmlessOrRefused() throws {
        let (bytes, _, contents) = try smallStore()
        for offset in Array(0..<512) + Array(2048..<2560) + Array(stride(from: 512, to: 4096, by: 61)) {
            var damaged = bytes
            damaged[offset] ^= 1 << UInt8(offset % 8)
            let store = try disk(damaged).open()
            #expect(try store.contents() == contents)
        }
    }

    @Test func truncationAtEveryLengthIsNoticed() throws {
        let (bytes, end, _) = try smallStore()
        for length in 0..<end {
            let lying = disk(Array(bytes[..<length]))
            let error = #expect(throws: StoreError.self) { try lying.open() }
            #expect(error?.code == .damaged)
        }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func repairKeepsTheGoodPartAndACopy(io: DeviceStoreOptions.IO) throws {
        var (bytes, _, contents) = try smallStore()
        // In the third commit of one entry, 32 bytes each.
        bytes[4096 + 2 * 32 + 20] ^= 0xFF
        let lying = disk(bytes, io)
        let damage = try #require(try DeviceStore.repair(at: LyingStore.path, options: lying.options()))
        #expect(damage.copy == LyingStore.path + ".damaged-1")
        #expect(try lying.disk.open(LyingStore.path + ".damaged-1", .reading).read(at: 0, count: bytes.count) == bytes)
        let store = try lying.open()
        contents["key2"] = nil
        #expect(try store.contents() == contents)
        #expect(damage.keysInDoubt == ["key0", "key1"])
        #expect(try store.verify().isIntact)
        try store.set(.int(7), for: "key2")
        #expect(try store.get("key2") == .int(7))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func quarantineRepairsWhileOpening(io: DeviceStoreOptions.IO) throws {
        var (bytes, _, _) = try smallStore()
        bytes[4096 + 40] ^= 1
        let lying = disk(bytes, io)
        let store = try lying.open { $0.damage = .quarantine }
        #expect(store.damage?.missingCommits == 1)
        #expect(try store.get("key5") == .int(5))
        try store.set(.int(1), for: "new")
        try store.close()
        let again = try lying.open()
        #expect(try again.get("new") == .int(1))
        #expect(try again.verify().isIntact)
    }

    @Test(arguments: [DeviceStoreOptions.DamagePolicy.readOnly, .quarantine])
    func whatIsThereIsKeptWhenTheWholeHeaderIsLost(policy: DeviceStoreOptions.DamagePolicy) throws {
        var (bytes, _, contents) = try smallStore()
        bytes.replaceSubrange(0..<4096, with: [UInt8](repeating: 0xA5, count: 4096))
        let lying = disk(bytes)
        #expect(throws: StoreError.self) { try lying.open() }
        let store = try lying.open { $0.damage = policy }
        #expect(try store.contents() == contents)
        #expect(store.damage?.ranges == [0..<4096])
    }

    @Test func whatIsThereIsKeptWhenTheFirstCommitIsLostWithTheHeader() throws {
        var (bytes, _, contents) = try smallStore()
        bytes.replaceSubrange(0..<4120, with: [UInt8](repeating: 0, count: 4120))
        let lying = disk(bytes)
        let damage = try #require(try DeviceStore.repair(at: LyingStore.path, options: lying.options()))
        #expect(damage.missingCommits == 1)
        let store = try lying.open()
        contents["key0"] = nil
        #expect(try store.contents() == contents)
        #expect(try store.verify().isIntact)
    }

    @Test func anOpeningThatRefusesLeavesTheFileAsItWas() throws {
        var (bytes, _, _) = try smallStore()
        bytes[4100] ^= 1
        let lying = disk(bytes)
        for _ in 0..<3 { #expect(throws: StoreError.self) { try lying.open() } }
        #expect(try lying.disk.open(LyingStore.path, .reading).read(at: 0, count: bytes.count + 1) == bytes)
    }

    /// What was in the file before, written into it again, as `cp` does.
    @Test(arguments: [false, true])
    func anOlderCopyPutBackBesideItsControlFileIsRefusedAndChangesNothing(isReadOnly: Bool) throws {
        let lying = LyingStore()
        func bytes() throws -> [UInt8] {
            let file = try lying.disk.open(LyingStore.path, .reading)
            return try file.read(at: 0, count: file.information().size)
        }
        let store = try lying.open()
        try store.set(1, for: "a")
        try store.flushNow()
        let older = try bytes()
        try store.set(2, for: "a")
        try store.closeNow()
        let file = try lying.disk.open(LyingStore.path, .writing)
        try file.truncate(to: 0)
        try file.write(older, at: 0)
        let names = try lying.disk.contentsOfDirectory(at: "/data").sorted()
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try lying.open { $0.isReadOnly = isReadOnly } }
            #expect(error?.code == .damaged && error?.path == LyingStore.path)
            #expect(error?.message.contains(".ctl knows of commits that are not there") == true)
            #expect(error?.message.contains("remove that file while no process has the store open") == true)
            #expect(try bytes() == older)
            #expect(try lying.disk.contentsOfDirectory(at: "/data").sorted() == names)
        }
        try lying.disk.remove(LyingStore.path + ".ctl")
        let opened = try lying.open()
        #expect(try opened.contents() == ["a": 1])
        #expect(try opened.verify().isIntact)
    }

    @Test func aNewerFormatIsRefusedAndLeftAlone() throws {
        var (bytes, _, _) = try smallStore()
        for slot in [0, 2048] {
            bytes[slot + 8] = 2
            let checksum = bytes.withUnsafeBytes { CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[slot..<slot + 508])) }
            withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(slot + 508..<slot + 512, with: $0) }
        }
        let lying = disk(bytes)
        let error = #expect(throws: StoreError.self) { try lying.open { $0.damage = .quarantine } }
        #expect(error?.code == .newerFormat)
        #expect(try lying.disk.open(LyingStore.path, .reading).read(at: 0, count: bytes.count) == bytes)
    }

    @Test(arguments: [[], Array("not a store at all".utf8), [UInt8](repeating: 0, count: 10_000)])
    func aFileOfAnotherKindIsNotTouched(bytes: [UInt8]) throws {
        let lying = disk(bytes)
        let error = #expect(throws: StoreError.self) { try lying.open() }
        #expect(error?.code == .damaged)
        #expect(error?.offset == 0)
        #expect(try lying.disk.open(LyingStore.path, .reading).read(at: 0, count: 20_000) == bytes)
    }

    /// Such keys would be one key for whoever lists them, and none of them could be read or removed.
    @Test(arguments: [[0x95], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], Array("eight by".utf8) + [0xE2, 0x82]])
    func aKeyThatIsNoTextMakesACommitInvalid(key: [UInt8]) throws {
        func entry(_ key: [UInt8], _ number: UInt8) -> [UInt8] { [1, UInt8(key.count), 2] + key + [3, 2 * number] }
        let commits = [entry(Array("a".utf8), 1), entry(key, 2), entry(Array("b".utf8), 3)]
        let store = try disk(HandmadeLog.header() + HandmadeLog.frames(commits)).open()
        #expect(try store.contents() == ["a": .int(1)])
        #expect(try store.verify().isIntact)
    }

    /// Larder never writes that moment, and another program may.
    @Test func aLargeValueThatExpiresAtTheLastMomentOfAllIsThere() throws {
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

    @Test func aKeyThatIsTooLongMakesACommitInvalid() throws {
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
