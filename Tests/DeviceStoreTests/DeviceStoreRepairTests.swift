import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

/// What a repair makes of a file, and what it leaves alone.
@Suite struct DeviceStoreRepairTests {
    /// A disk with a store that was closed, in which each key's number is its value.
    private func closedStore(_ count: Int = 3) throws -> LyingStore {
        let lying = LyingStore()
        let store = try lying.open()
        for number in 0..<count { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.closeNow()
        return lying
    }

    private func repair(_ lying: LyingStore) throws -> DeviceStoreDamage? {
        try DeviceStore.repair(at: LyingStore.path, options: lying.options())
    }

    private func bytes(_ lying: LyingStore, _ suffix: String = "") throws -> [UInt8] {
        let file = try lying.disk.open(LyingStore.path + suffix, .reading)
        return try file.read(at: 0, count: file.information().size)
    }

    private func change(_ lying: LyingStore, at offset: Int, to bytes: [UInt8]) throws {
        try lying.disk.open(LyingStore.path, .writing).write(bytes, at: offset)
    }

    private func isIntact(_ lying: LyingStore) throws -> Bool {
        try lying.open { $0.isReadOnly = true }.verify().isIntact
    }

    // MARK: The header

    /// A slot, and what should be zero behind it and behind the other one.
    @Test(arguments: [(100, 0..<512), (2060, 2048..<2560), (600, 600..<2048), (4095, 4095..<4096)])
    func whateverVerifyFindsInTheHeaderIsRepaired(offset: Int, range: Range<Int>) throws {
        let lying = try closedStore()
        try change(lying, at: offset, to: [0xA5])
        let before = try bytes(lying)
        #expect(try !isIntact(lying))
        let damage = try #require(try repair(lying))
        #expect(damage.ranges == [range])
        #expect(damage.missingCommits == 0 && damage.keysInDoubt.isEmpty && damage.keptEntries == 3)
        #expect(try bytes(lying, ".damaged-1") == before)
        #expect(try isIntact(lying))
        #expect(try repair(lying) == nil)
        #expect(try lying.open().contents() == ["key0": .int(0), "key1": .int(1), "key2": .int(2)])
    }

    /// As many as an undamaged store counts.
    @Test func entriesThatNobodyIsShownAreNotSaidToBeKept() throws {
        let lying = LyingStore()
        let store = try lying.open()
        try store.set(1, for: "kept")
        try store.set(2, for: StoreKey(reserved: ".side"))
        try store.set(3, for: "expired", until: .distantPast)
        try store.closeNow()
        try change(lying, at: 100, to: [0xA5])
        #expect(try repair(lying)?.keptEntries == 1)
        #expect(try lying.open().count() == 1)
        #expect(try isIntact(lying))
    }

    @Test(arguments: [512, 600, 2559, 2560, 3000, 4095])
    func anEmptyStoreWhoseHeaderIsCutOffIsRepaired(length: Int) throws {
        let lying = try closedStore(0)
        try lying.disk.open(LyingStore.path, .writing).truncate(to: length)
        #expect(code { _ = try lying.open() } == .damaged)
        let damage = try #require(try repair(lying))
        #expect(damage.ranges == [0..<length])
        #expect(try isIntact(lying))
        #expect(try lying.open().count() == 0)
    }

    // MARK: What it leaves alone

    @Test func nothingIsRepairedOnANetworkFileSystemUnasked() throws {
        let lying = try closedStore()
        try change(lying, at: 4096 + 20, to: [0xFF])
        let before = try bytes(lying)
        lying.disk.pretend(VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false))
        #expect(code { _ = try repair(lying) } == .invalidConfiguration)
        #expect(try bytes(lying) == before)
        var options = lying.options()
        options.allowsNetworkFileSystem = true
        #expect(try DeviceStore.repair(at: LyingStore.path, options: options)?.missingCommits == 1)
        lying.disk.pretend(VolumeInformation(name: "ext4", isNetwork: false, isSafeForSharedMaps: true))
        #expect(try isIntact(lying))
    }

    @Test func whereThereIsNoStoreNothingIsMade() throws {
        let lying = LyingStore()
        #expect(code { _ = try repair(lying) } == .invalidConfiguration)
        #expect(try lying.disk.contentsOfDirectory(at: "/data").isEmpty)
    }

    /// The words may be those of an earlier start: to an opener what lies behind the mark is a torn tail, and so it is to a repair.
    @Test func wordsCountForNothingWhereStartsCannotBeToldApart() throws {
        let lying = LyingStore()
        lying.disk.forgetBoots()
        let store = try lying.open()
        for number in 0..<3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        let disk = lying.disk.afterProcessDeath()
        disk.forgetBoots()
        let after = LyingStore(disk)
        // In the second commit of 32 bytes.
        try change(after, at: 4096 + 32 + 20, to: [0xFF])
        let before = try bytes(after)
        #expect(try repair(after) == nil)
        #expect(try bytes(after) == before)
        #expect(try after.open { $0.isReadOnly = true }.keys() == ["key0"])
        let reopened = try after.open()
        #expect(try reopened.keys() == ["key0"])
        #expect(try reopened.verify().isIntact)
    }

    // MARK: Who has it open

    /// With or without somebody who opened it in between, and so wrote anew what they share.
    @Test(arguments: [false, true])
    func whoeverHasARepairedStoreOpenWritesNothingToTheFormerFile(isReopened: Bool) throws {
        let lying = LyingStore()
        let survivor = try lying.open()
        try survivor.set(.int(1), for: "a")
        try survivor.flushNow()
        try change(lying, at: 0, to: [UInt8](repeating: 0, count: 4096))
        #expect(try repair(lying)?.keptEntries == 1)
        let other = isReopened ? try lying.open() : nil
        #expect(code { try survivor.set(.int(2), for: "b") } == .closed)
        let store = try other ?? lying.open()
        #expect(try store.contents() == ["a": .int(1)])
        try store.set(.int(3), for: "c")
        #expect(try store.verify().isIntact)
        #expect(try lying.open { $0.isReadOnly = true }.contents() == ["a": .int(1), "c": .int(3)])
    }

    @Test func aRepairWhoseControlFileIsCutLeavesTheStoreAlone() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("settings.larder")
        let store = try DeviceStore(path: path)
        for number in 0..<3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.closeNow()
        let log = try LocalFileSystem().open(path, .writing)
        try log.write([0xFF], at: 4096 + 20)
        let before = try log.read(at: 0, count: log.information().size)
        let meddled = MeddledFileSystem(.opening, path + LogFormat.newSuffix)
        meddled.once {
            let page = try? LocalFileSystem().open(path + ".ctl", .writing)
            try? page?.truncate(to: 0)
            try? page?.truncate(to: 4096)
        }
        var options = DeviceStoreOptions()
        options.environment.fileSystem = meddled
        #expect(code { _ = try DeviceStore.repair(at: path, options: options) } == .closed)
        #expect(try LocalFileSystem().open(path, .reading).read(at: 0, count: before.count + 1) == before)
        #expect(try DeviceStore.repair(at: path)?.missingCommits == 1)
        #expect(try DeviceStore(path: path).verify().isIntact)
    }
}
