import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import Testing

/// What a store that is only read makes of what lies beside it.
@Suite struct DeviceStoreReadOnlyTests {
    /// A disk on which a process died that had committed three times and synced nothing.
    private func disk() throws -> LyingFileSystem {
        let lying = LyingStore()
        let store = try lying.open()
        for number in 1...3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        return lying.disk.afterProcessDeath()
    }

    private func openReadOnly(_ disk: LyingFileSystem) throws -> DeviceStore {
        try LyingStore(disk).open { $0.isReadOnly = true }
    }

    @Test func damageToCommitsThatWereNotSyncedYetIsFound() throws {
        let disk = try disk()
        let log = try disk.open(LyingStore.path, .writing)
        try log.write([0xFF], at: 4_096 + 20)
        #expect {
            try openReadOnly(disk)
        } throws: {
            ($0 as? StoreError)?.code == .damaged
        }
    }

    @Test func withoutAControlFileTheLongestGoodPartIsShown() throws {
        let disk = try disk()
        try disk.remove(LyingStore.path + ".ctl")
        let store = try openReadOnly(disk)
        #expect(try store.count() == 3)
        #expect(try store.verify().isIntact)
    }

    @Test func nothingIsWrittenByReading() throws {
        let disk = try disk()
        let before = disk.eventCount
        let store = try openReadOnly(disk)
        #expect(try store.count() == 3)
        try store.closeNow()
        #expect(disk.eventCount == before)
    }

    /// What is there is whole; that something is missing is what the control file tells.
    @Test(arguments: [0, 1, 2])
    func aLogThatWasCutBetweenCommitsIsDamagedToReadersAsToWriters(commits: Int) throws {
        let disk = try disk()
        let end = 4096 + 32 * commits
        try disk.open(LyingStore.path, .writing).truncate(to: end)
        let read = #expect(throws: StoreError.self) { try openReadOnly(disk) }
        let written = #expect(throws: StoreError.self) { try LyingStore(disk).open() }
        #expect(read?.code == .damaged && read?.offset == end)
        #expect(written?.code == .damaged && written?.offset == end)
        let salvaged = try LyingStore(disk).open {
            $0.isReadOnly = true
            $0.damage = .readOnly
        }
        #expect(try salvaged.count() == commits)
        #expect(salvaged.damage?.ranges == [end..<4096 + 96])
        let repaired = try DeviceStore.repair(at: LyingStore.path, options: LyingStore(disk).options())
        #expect(repaired?.ranges == salvaged.damage?.ranges)
        #expect(try LyingStore(disk).open().verify().isIntact)
    }

    /// What another process does between a reader's look at the log and its look at the control file.
    enum Meddling: CaseIterable, Sendable { case commit, largeCommit, compaction }

    @Test(arguments: Meddling.allCases, [false, true])
    func readingBesideAWriterFindsNoDamage(meddling: Meddling, isSynced: Bool) throws {
        let lying = LyingStore()
        let store = try lying.open()
        for number in 1...3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
        let meddled = MeddledFileSystem(.opening, LyingStore.path + ".ctl", on: lying.disk)
        meddled.once {
            switch meddling {
            case .commit: _ = try? store.set(.int(4), for: "key4")
            // More than was reserved.
            case .largeCommit: _ = try? store.set(.string(String(repeating: "large ", count: 40_000)), for: "key4")
            case .compaction: try? store.compact()
            }
            if isSynced { try? store.flushNow() }
        }
        var options = lying.options()
        options.environment.fileSystem = meddled
        options.isReadOnly = true
        let reader = try DeviceStore(path: LyingStore.path, options: options)
        #expect(try Set(reader.keys()).isSuperset(of: ["key1", "key2", "key3"]))
        #expect(try reader.verify().isIntact)
        #expect(try store.verify().isIntact)
    }
}
