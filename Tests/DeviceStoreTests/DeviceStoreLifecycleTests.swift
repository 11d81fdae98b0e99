import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTesting
import Testing

/// Tests of expiry, backups, file size and other events while a store exists.
@Suite struct DeviceStoreLifecycleTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func expiredValueIsAbsentFromAllReads(io: DeviceStoreOptions.IO) throws {
        let time = ManualTimeSource()
        let fixture = StoreFixture(io: io)
        let store = try fixture.open { $0.environment.time = time }
        try store.set(.int(1), for: "a", until: time.now.addingTimeInterval(10))
        try store.set(.data(Data(repeating: 1, count: 20_000)), for: "large", until: time.now.addingTimeInterval(10))
        #expect(try store.get("a") == .int(1))
        time.setWallClock(to: time.now.addingTimeInterval(11))
        #expect(try store.get("a") == nil)
        #expect(try store.get("large") == nil)
        #expect(try store.keys().isEmpty)
        #expect(try store.compareAndSet("a", expecting: nil, to: .int(2)))
        #expect(try store.get("a") == .int(2))
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func compactionRemovesExpiredEntries(io: DeviceStoreOptions.IO) throws {
        let time = ManualTimeSource()
        let fixture = StoreFixture(io: io)
        let store = try fixture.open { $0.environment.time = time }
        let other = try fixture.open { $0.environment.time = time }
        let begin = time.now
        for number in 0..<200 {
            try store.set(.int(1), for: StoreKey("key\(number)"), until: begin.addingTimeInterval(9))
        }
        try store.set(.int(2), for: "kept", until: begin.addingTimeInterval(1_000))
        time.setWallClock(to: begin.addingTimeInterval(10))
        try store.compact()
        // Setting the clock back doesn't make expired values present again.
        time.setWallClock(to: begin)
        #expect(try store.keys() == ["kept"])
        #expect(try other.keys() == ["kept"])
        #expect(try store.verify().isIntact)
        #expect(try fixture.open { $0.environment.time = time }.keys() == ["kept"])
    }

    @Test func storeIsMemoryMappedIfFileSystemReservesSpace() throws {
        let directory = try TemporaryDirectory()
        let store = try DeviceStore(path: directory.path("s.larder"))
        let volume = try LocalFileSystem.local.volume(at: directory.path)
        #expect(store.io == (volume.keepsReservedRoom ? .mapped : .systemCalls))
        try store.set(.int(1), for: "a")
        #expect(try store.get("a") == .int(1))
        #expect(try store.verify().isIntact)
    }

    @Test func storeIsNotMemoryMappedIfFileSystemCannotReserveSpace() throws {
        let fixture = StoreFixture(io: .mapped)
        #expect(try fixture.open().io == .mapped)
        let other = StoreFixture(io: .mapped)
        other.disk.pretend(VolumeInformation(name: "btrfs", isNetwork: false, isSafeForSharedMaps: true))
        let store = try other.open()
        #expect(store.io == .systemCalls)
        try store.set(.int(1), for: "a")
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func backupIsIndependentOfOriginalStore(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        for number in 0..<100 { try store.set(.int(Int64(number)), for: StoreKey("key\(number % 10)")) }
        try store.backup(to: "/data/copy.larder")
        try store.set(.int(0), for: "later")
        let copy = try DeviceStore(path: "/data/copy.larder", options: fixture.options())
        #expect(try copy.keys().count == 10)
        #expect(try copy.get("key9") == .int(99))
        #expect(try copy.verify().isIntact)
        #expect(throws: StoreError.self) { try store.backup(to: "/data/copy.larder") }
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func fileSizeStaysBoundedUnderFrequentUpdates(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(SimulatedFileSystem(directories: ["/data"], isRecording: false), io: io)
        let store = try fixture.open()
        var largest = 0
        for number in 0..<20_000 {
            try store.set(.int(Int64(number)), for: StoreKey("key\(number % 100)"))
            if number % 100 == 0 { largest = max(largest, try size(fixture)) }
        }
        try store.compact()
        let compacted = try size(fixture)
        #expect(largest <= compacted * 23 / 10 + 192 << 10)
        #expect(try store.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func maintenanceSyncsBufferedCommits(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        store.maintain()
        #expect(try StoreFixture(fixture.disk.afterPowerLoss(seed: 3), io: io).open().get("a") == .int(1))
        #expect(try store.verify().isIntact)
    }

    /// Checks the default limits, which all other tests replace.
    @Test func defaultOptionsHaveLockTimeoutAndAutomaticMaintenance() {
        let environment = DeviceStoreOptions().environment
        #expect(environment.lockLimit == .seconds(5))
        #expect(environment.isAutomatic && environment.tick > .zero && environment.tick <= .milliseconds(500))
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func controlFileIsIgnoredWithoutBootIdentifier(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        fixture.disk.forgetBoots()
        let store = try fixture.open()
        for number in 0..<20 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        fixture.disk.recordMappedStores()
        for seed in 0..<60 as Range<UInt64> {
            let disk = fixture.disk.afterPowerLoss(seed: seed)
            disk.forgetBoots()
            let after = StoreFixture(disk, io: io)
            let reader = try after.open { $0.isReadOnly = true }
            let reopened = try after.open()
            #expect(try reader.keys() == reopened.keys())
            try reopened.setSynced(.int(1), for: "synced")
            let again = disk.afterPowerLoss(seed: seed)
            again.forgetBoots()
            #expect(try StoreFixture(again, io: io).open().get("synced") == .int(1))
            #expect(try reopened.verify().isIntact)
        }
    }

    @Test func interruptedBackupDoesNotBlockNextBackup() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        let left = try fixture.disk.open(
            "/data/copy.larder" + LogFormat.newSuffix,
            FileOpenMode(isWritable: true, creation: .always)
        )
        try left.write([UInt8](repeating: 7, count: 100_000), at: 0)
        try left.close()
        try store.backup(to: "/data/copy.larder")
        let copy = try DeviceStore(path: "/data/copy.larder", options: fixture.options())
        #expect(try copy.get("a") == .int(1))
        #expect(try copy.verify().isIntact)
        #expect(
            try fixture.disk.information(at: "/data/copy.larder" + LogFormat.newSuffix, followingLinks: false) == nil
        )
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func readOnlyStoreCreatesNoFiles(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        try store.close()
        fixture.disk.recordMappedStores()
        let before = fixture.disk.eventCount
        let reader = try fixture.open { $0.isReadOnly = true }
        #expect(try reader.get("a") == .int(1))
        #expect(throws: StoreError.self) { try reader.set(.int(2), for: "a") }
        #expect(try reader.verify().isIntact)
        #expect(fixture.disk.eventCount == before)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func logFileReplacementIsDetected(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        try store.backup(to: "/data/other.larder")
        try fixture.disk.rename("/data/other.larder", to: StoreFixture.path)
        store.maintain()
        let error = #expect(throws: StoreError.self) { try store.set(.int(2), for: "a") }
        #expect(error?.code == .closed)
        #expect(try store.get("a") == .int(1))
        #expect(try fixture.open().verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func flushThrowsAfterLogReplacementEvenIfAllCommitsAreSynced(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        try store.backup(to: "/data/other.larder")
        store.maintain()
        try fixture.disk.rename("/data/other.larder", to: StoreFixture.path)
        store.maintain()
        let error = #expect(throws: StoreError.self) { try store.flush() }
        #expect(error?.code == .closed)
        #expect(try store.get("a") == .int(1))
        #expect(try fixture.open().verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func compactionInProgressIsNotReportedAsLogReplacement(io: DeviceStoreOptions.IO) throws {
        let disk = SimulatedFileSystem(directories: ["/data"], isRecording: false)
        let store = try SimulatedStore(on: SimulatedProcess(on: disk), io).open()
        let other = try SimulatedStore(on: SimulatedProcess(on: disk), io).open()
        try store.set(.int(1), for: "a")
        #expect(try other.get("a") == .int(1))
        let control = try disk.open(StoreFixture.path + ".ctl", .writing)
        var words = try control.read(at: 0, count: 1024)
        try store.compact()
        // The state right after the renaming, in which a switch is pending and nothing else has changed.
        words[128] = 1
        try control.write(words, at: 0)
        other.maintain()
        try other.set(.int(2), for: "a")
        #expect(try other.get("a") == .int(2))
        #expect(try other.verify().isIntact)
    }

    @Test func storeOnNetworkFileSystemIsRejectedByDefault() throws {
        let fixture = StoreFixture()
        fixture.disk.pretend(VolumeInformation(name: "nfs", isNetwork: true, isSafeForSharedMaps: false))
        let error = #expect(throws: StoreError.self) { try fixture.open() }
        #expect(error?.code == .invalidConfiguration)
        #expect(try fixture.open { $0.allowsNetworkFileSystem = true }.keys().isEmpty)
    }

    private func size(_ fixture: StoreFixture) throws -> Int {
        try #require(try fixture.disk.information(at: StoreFixture.path, followingLinks: false)).size
    }
}
