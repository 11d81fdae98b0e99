import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

/// Tests of the results of repairs and of the files that a repair leaves unchanged.
@Suite struct DeviceStoreRepairTests {
    /// Returns a disk with a closed store.
    ///
    /// The value of each key is the number in its name.
    private func closedStore(_ count: Int = 3) throws -> StoreFixture {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 0..<count { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        try store.closeNow()
        return fixture
    }

    private func repair(_ fixture: StoreFixture) throws -> DeviceStoreDamage? {
        try DeviceStore.repair(at: StoreFixture.path, options: fixture.options())
    }

    private func bytes(_ fixture: StoreFixture, _ suffix: String = "") throws -> [UInt8] {
        let file = try fixture.disk.open(StoreFixture.path + suffix, .reading)
        return try file.read(at: 0, count: file.information().size)
    }

    private func change(_ fixture: StoreFixture, at offset: Int, to bytes: [UInt8]) throws {
        try fixture.disk.open(StoreFixture.path, .writing).write(bytes, at: offset)
    }

    private func isIntact(_ fixture: StoreFixture) throws -> Bool {
        try fixture.open { $0.isReadOnly = true }.verify().isIntact
    }

    // MARK: The header

    /// Damages a header slot, or the bytes after a slot that should be zero.
    @Test(arguments: [(100, 0..<512), (2060, 2048..<2560), (600, 600..<2048), (4095, 4095..<4096)])
    func repairFixesHeaderErrorsFoundByVerify(offset: Int, range: Range<Int>) throws {
        let fixture = try closedStore()
        try change(fixture, at: offset, to: [0xA5])
        let before = try bytes(fixture)
        #expect(try !isIntact(fixture))
        let damage = try #require(try repair(fixture))
        #expect(damage.ranges == [range])
        #expect(damage.missingCommits == 0 && damage.keysInDoubt.isEmpty && damage.keptEntries == 3)
        #expect(try bytes(fixture, ".damaged-1") == before)
        #expect(try isIntact(fixture))
        #expect(try repair(fixture) == nil)
        #expect(try fixture.open().contents() == ["key0": .int(0), "key1": .int(1), "key2": .int(2)])
    }

    /// Compares the number of kept entries with the number in an intact store, which excludes hidden entries.
    @Test func repairCountExcludesReservedAndExpiredEntries() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.set(1, for: "kept")
        try store.set(2, for: StoreKey(reserved: ".side"))
        try store.set(3, for: "expired", until: .distantPast)
        try store.closeNow()
        try change(fixture, at: 100, to: [0xA5])
        #expect(try repair(fixture)?.keptEntries == 1)
        #expect(try fixture.open().count() == 1)
        #expect(try isIntact(fixture))
    }

    @Test(arguments: [512, 600, 2559, 2560, 3000, 4095])
    func emptyStoreWithTruncatedHeaderIsRepaired(length: Int) throws {
        let fixture = try closedStore(0)
        try fixture.disk.open(StoreFixture.path, .writing).truncate(to: length)
        #expect(code { _ = try fixture.open() } == .damaged)
        let damage = try #require(try repair(fixture))
        #expect(damage.ranges == [0..<length])
        #expect(try isIntact(fixture))
        #expect(try fixture.open().count() == 0)
    }

    // MARK: Unchanged files

    @Test func repairOnNetworkFileSystemIsRejectedByDefault() throws {
        let fixture = try closedStore()
        try change(fixture, at: 4096 + 20, to: [0xFF])
        let before = try bytes(fixture)
        fixture.disk.pretend(VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false))
        #expect(code { _ = try repair(fixture) } == .invalidConfiguration)
        #expect(try bytes(fixture) == before)
        var options = fixture.options()
        options.allowsNetworkFileSystem = true
        #expect(try DeviceStore.repair(at: StoreFixture.path, options: options)?.missingCommits == 1)
        fixture.disk.pretend(VolumeInformation(name: "ext4", isNetwork: false, isSafeForSharedMaps: true))
        #expect(try isIntact(fixture))
    }

    @Test func repairingMissingStoreCreatesNoFiles() throws {
        let fixture = StoreFixture()
        #expect(code { _ = try repair(fixture) } == .invalidConfiguration)
        #expect(try fixture.disk.contentsOfDirectory(at: "/data").isEmpty)
    }

    /// Uses shared words that may be from an earlier start of the machine, so that opening and repair treat everything after the mark as a
    /// torn tail.
    @Test func repairIgnoresControlFileWithoutBootIdentifier() throws {
        let fixture = StoreFixture()
        fixture.disk.forgetBoots()
        let store = try fixture.open()
        for number in 0..<3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        let disk = fixture.disk.afterProcessDeath()
        disk.forgetBoots()
        let after = StoreFixture(disk)
        // The offset is in the second commit, which has 32 bytes.
        try change(after, at: 4096 + 32 + 20, to: [0xFF])
        let before = try bytes(after)
        #expect(try repair(after) == nil)
        #expect(try bytes(after) == before)
        #expect(try after.open { $0.isReadOnly = true }.keys() == ["key0"])
        let reopened = try after.open()
        #expect(try reopened.keys() == ["key0"])
        #expect(try reopened.verify().isIntact)
    }

    // MARK: Open stores

    /// Repairs a store that another instance has open, with or without an opening in between, which resets the shared words.
    @Test(arguments: [false, true])
    func openStoreDoesNotWriteAfterRepair(isReopened: Bool) throws {
        let fixture = StoreFixture()
        let survivor = try fixture.open()
        try survivor.set(.int(1), for: "a")
        try survivor.flushNow()
        try change(fixture, at: 0, to: [UInt8](repeating: 0, count: 4096))
        #expect(try repair(fixture)?.keptEntries == 1)
        let other = isReopened ? try fixture.open() : nil
        #expect(code { try survivor.set(.int(2), for: "b") } == .closed)
        let store = try other ?? fixture.open()
        #expect(try store.contents() == ["a": .int(1)])
        try store.set(.int(3), for: "c")
        #expect(try store.verify().isIntact)
        #expect(try fixture.open { $0.isReadOnly = true }.contents() == ["a": .int(1), "c": .int(3)])
    }

    @Test func repairWithTruncatedControlFileChangesNothing() throws {
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
