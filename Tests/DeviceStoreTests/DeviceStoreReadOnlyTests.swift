import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Synchronization
import Testing

/// Tests of read-only stores and of the files next to them.
@Suite struct DeviceStoreReadOnlyTests {
    /// Returns a disk on which a process died after three commits that were not synced.
    private func disk() throws -> SimulatedFileSystem {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 1...3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        return fixture.disk.afterProcessDeath()
    }

    private func openReadOnly(_ disk: SimulatedFileSystem) throws -> DeviceStore {
        try StoreFixture(disk).open { $0.isReadOnly = true }
    }

    @Test func readOnlyStoreDetectsCorruptUnsyncedCommits() throws {
        let disk = try disk()
        let log = try disk.open(StoreFixture.path, .writing)
        try log.write([0xFF], at: 4_096 + 20)
        #expect {
            try openReadOnly(disk)
        } throws: {
            ($0 as? StoreError)?.code == .damaged
        }
    }

    @Test func readOnlyStoreWithoutControlFileReadsLongestIntactLogPrefix() throws {
        let disk = try disk()
        try disk.remove(StoreFixture.path + ".ctl")
        let store = try openReadOnly(disk)
        #expect(try store.count() == 3)
        #expect(try store.verify().isIntact)
    }

    @Test func readOnlyStoreWritesNothing() throws {
        let disk = try disk()
        let before = disk.eventCount
        let store = try openReadOnly(disk)
        #expect(try store.count() == 3)
        try store.closeNow()
        #expect(disk.eventCount == before)
    }

    /// Returns a disk with a log that is due for compaction.
    ///
    /// Commits don't compact the log while a progress handler is called, so the disk is copied at that time.
    private func diskWithLogDueForCompaction() throws -> SimulatedFileSystem {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.set(.int(0), for: "key")
        let image = Mutex<SimulatedFileSystem?>(nil)
        try store.compact { _ in
            do {
                for number in 0..<400 {
                    try store.set(.string("\(number)" + String(repeating: "x", count: 1_000)), for: "key")
                }
            } catch {
                Issue.record(error)
            }
            image.withLock { $0 = fixture.disk.afterProcessDeath() }
        }
        return try #require(image.withLock { $0 })
    }

    @Test func backupOfReadOnlyStoreReportsNoIssue() throws {
        let disk = try diskWithLogDueForCompaction()
        let issues = HeardIssues()
        try withIssueHandler(issues.add) {
            let store = try openReadOnly(disk)
            let used = try store.statistics().usedBytes
            #expect(used > 400_000)
            try store.backup(to: "/data/copy.larder") { _ in }
            #expect(try store.count() == 1)
            #expect(try store.verify().isIntact)
        }
        #expect(issues.all.isEmpty)
        let copy = try DeviceStore(path: "/data/copy.larder", options: StoreFixture(disk).options())
        #expect(try copy.count() == 1)
        #expect(try copy.verify().isIntact)
    }

    /// Truncates the log between two commits, so that the file itself is valid and only the control file shows that commits are missing.
    @Test(arguments: [0, 1, 2])
    func readOnlyStoreReportsLogTruncatedBetweenCommitsAsCorrupt(commits: Int) throws {
        let disk = try disk()
        let end = 4096 + 32 * commits
        try disk.open(StoreFixture.path, .writing).truncate(to: end)
        let read = #expect(throws: StoreError.self) { try openReadOnly(disk) }
        let written = #expect(throws: StoreError.self) { try StoreFixture(disk).open() }
        #expect(read?.code == .damaged && read?.offset == end)
        #expect(written?.code == .damaged && written?.offset == end)
        let salvaged = try StoreFixture(disk).open {
            $0.isReadOnly = true
            $0.damage = .readOnly
        }
        #expect(try salvaged.count() == commits)
        #expect(salvaged.damage?.ranges == [end..<4096 + 96])
        let repaired = try DeviceStore.repair(at: StoreFixture.path, options: StoreFixture(disk).options())
        #expect(repaired?.ranges == salvaged.damage?.ranges)
        #expect(try StoreFixture(disk).open().verify().isIntact)
    }

    /// The action that another process takes after a reader has read the log and before it reads the control file.
    enum Meddling: CaseIterable, Sendable { case commit, largeCommit, compaction }

    @Test(arguments: Meddling.allCases, [false, true])
    func readOnlyStoreReportsNoCorruptionDuringWritesByAnotherProcess(meddling: Meddling, isSynced: Bool) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        for number in 1...3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        let meddled = MeddledFileSystem(.opening, StoreFixture.path + ".ctl", on: fixture.disk)
        meddled.once {
            switch meddling {
            case .commit: _ = try? store.set(.int(4), for: "key4")
            // More than the reserved space.
            case .largeCommit: _ = try? store.set(.string(String(repeating: "large ", count: 40_000)), for: "key4")
            case .compaction: try? store.compact()
            }
            if isSynced { try? store.flushNow() }
        }
        var options = fixture.options()
        options.environment.fileSystem = meddled
        options.isReadOnly = true
        let reader = try DeviceStore(path: StoreFixture.path, options: options)
        #expect(try Set(reader.keys()).isSuperset(of: ["key1", "key2", "key3"]))
        #expect(try reader.verify().isIntact)
        #expect(try store.verify().isIntact)
    }
}
