import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

/// Tests of migrations that are interrupted by power loss or disk errors.
@Suite struct MigrationCrashTests {
    private static let entries = 40

    /// Creates a disk that contains a full property list and a device store with one value.
    private func disk() throws -> SimulatedFileSystem {
        let disk = SimulatedFileSystem(directories: ["/data"])
        disk.leaveUnrecorded(suffix: ".ctl")
        let source = try source(disk)
        var batch = StoreBatch()
        for number in 0..<Self.entries {
            batch.set(.string(String(repeating: "x", count: number * 9)), for: key(number))
        }
        _ = try source.commit(batch, durability: .synced)
        let store = try store(disk)
        try store.set("old", for: "there")
        try store.close()
        return disk
    }

    private func key(_ number: Int) -> StoreKey { StoreKey("key\(number)") }

    private func source(_ disk: SimulatedFileSystem) throws -> PropertyListStore {
        try PropertyListStore(path: "/data/s.plist", on: disk, lockLimit: .zero)
    }

    private func store(_ disk: SimulatedFileSystem) throws -> DeviceStore {
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        return try withIssueHandler({ _ in }) { try DeviceStore(path: "/data/s.larder", options: options) }
    }

    private func migration(_ disk: SimulatedFileSystem) throws -> StoreMigration {
        StoreMigration("s", from: try source(disk))
    }

    /// Checks that the migration is either complete or absent, and that it is complete after another run.
    private func check(_ disk: SimulatedFileSystem, mustBeDone: Bool, _ place: String) throws {
        let migration = try migration(disk)
        var store = try store(disk)
        let isDone = try migration.isDone(in: store)
        #expect(try store.count() == (isDone ? Self.entries + 1 : 1), "\(place)")
        #expect(isDone || !mustBeDone, "\(place)")
        #expect(try migration.source.count() == Self.entries, "\(place)")
        #expect(try migration.run(into: store).outcome == (isDone ? .alreadyDone : .migrated), "\(place)")
        try store.close()
        store = try self.store(disk)
        #expect(try store.count() == Self.entries + 1, "\(place)")
        #expect(try store.get("there") == "old", "\(place)")
        #expect(try store.verify().isIntact, "\(place)")
    }

    @Test func powerLossDuringMigrationLeavesAllEntriesOrNone() throws {
        let disk = try disk()
        let start = disk.eventCount
        let report = try migration(disk).run(into: store(disk))
        #expect(report.outcome == .migrated)
        let end = disk.eventCount
        disk.recordMappedStores()
        try disk.forEachSampledCrashImage(atLeast: 100, from: start, seed: 7, perPoint: 30) { image in
            let mustBeDone = image.eventCount >= end
            try check(image.fileSystem, mustBeDone: mustBeDone, "\(image.eventCount), \(image.number)")
        }
    }

    @Test(arguments: [(Int32(5), false), (5, true), (28, false), (28, true)])
    func failedFileOperationDuringMigrationLeavesAllEntriesOrNone(fault: (Int32, Bool)) throws {
        let total = try operations { _ in }
        for failing in 0..<total {
            let disk = try disk()
            disk.fail(at: disk.operationCount + failing, errno: fault.0, forever: fault.1)
            let isDone = (try? withIssueHandler({ _ in }) { try migration(disk).run(into: store(disk)) }) != nil
            let later = disk.afterProcessDeath()
            try check(later, mustBeDone: isDone, "operation \(failing), \(fault)")
        }
    }

    private func operations(_ prepare: (SimulatedFileSystem) -> Void) throws -> Int {
        let disk = try disk()
        let before = disk.operationCount
        _ = try migration(disk).run(into: store(disk))
        return disk.operationCount - before
    }
}
