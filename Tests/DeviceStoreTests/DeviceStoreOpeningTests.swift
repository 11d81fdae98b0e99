import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// Tests of openings that crash or fail, and of the next opening after them.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreOpeningTests {
    /// Returns a string that is so long that the next commit begins in another disk sector and may reach the disk without this one.
    private static func long(_ letter: String) -> StoredValue { .string(String(repeating: letter, count: 460)) }

    /// Returns a disk after a power loss in a store that had three commits.
    ///
    /// The first commit is synced according to the header, the second is missing, and the third is present.
    private func disk() throws -> SimulatedFileSystem {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.set(.int(1), for: "a")
        try store.flushNow()
        try store.set(Self.long("b"), for: "b")
        try store.set(.int(3), for: "c")
        let file = try fixture.disk.open(StoreFixture.path, .reading)
        var log = try file.read(at: 0, count: file.information().size)
        // The length of the third frame is at the beginning of a sector. The second frame follows the 24 bytes of the first.
        try #require(log[4096 + 512 + 4] == 22)
        log.replaceSubrange(4096 + 24..<4096 + 48, with: [UInt8](repeating: 0, count: 24))
        return SimulatedFileSystem(directories: ["/data"], files: [StoreFixture.path: log], isRecording: true)
    }

    /// Returns a disk with a store that a process had open when it was killed.
    ///
    /// The value of each key is the number in its name.
    private func diskOfADeadProcess() throws -> SimulatedFileSystem {
        let disk = SimulatedFileSystem(directories: ["/data"])
        let process = SimulatedProcess(on: disk)
        do {
            let store = try SimulatedStore(on: process, .systemCalls).open()
            for number in 0..<3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
            process.kill()
            // A killed process doesn't release the store.
            withExtendedLifetime(store) {}
        }
        process.bury()
        return disk
    }

    /// Checks that a new commit of the same length as the second one doesn't make the third one visible again.
    private func expectRemovedTailStaysRemoved(_ disk: SimulatedFileSystem, _ comment: Comment) throws {
        let opened = try StoreFixture(disk).open()
        // Closing the store would sync it.
        defer { withExtendedLifetime(opened) {} }
        #expect(try opened.contents() == ["a": .int(1)], comment)
        try opened.set(Self.long("d"), for: "d")
        for seed in 0..<100 as Range<UInt64> {
            let store = try StoreFixture(disk.afterPowerLoss(seed: seed, tearing: .sectors)).open()
            #expect(try ["a", "d"].starts(with: store.keys()), comment)
            #expect(try store.verify().isIntact)
        }
    }

    @Test func tornTailDoesNotReappearAfterCrashDuringRecovery() throws {
        for call in 0... {
            let disk = try disk()
            let process = SimulatedProcess(on: disk)
            process.die(atCall: call)
            let store = try? silently { try SimulatedStore(on: process, .systemCalls).open() }
            let wasKilled = process.wasKilled
            if !wasKilled { process.kill() }
            withExtendedLifetime(store) {}
            process.bury()
            try expectRemovedTailStaysRemoved(disk, "killed at call \(call)")
            guard wasKilled else { return }
        }
    }

    @Test func tornTailDoesNotReappearAfterFailedRecovery() throws {
        for call in 0... {
            let disk = try disk()
            disk.fail(at: call, errno: EIO)
            let store = try? StoreFixture(disk).open()
            let count = disk.operationCount
            disk.stopFailing()
            try store?.closeNow()
            try expectRemovedTailStaysRemoved(disk, "call \(call) failed")
            guard call < count else { return }
        }
    }

    /// Checks that the next opener doesn't treat data as synced that the disk could not confirm.
    @Test func failedSyncDuringOpenIsNotRetried() throws {
        for call in 0... {
            let disk = try diskOfADeadProcess()
            let first = disk.operationCount
            disk.fail(at: first + call, errno: EIO)
            let failed = try? StoreFixture(disk).open()
            let count = disk.operationCount - first
            disk.stopFailing()
            try failed?.closeNow()
            let store = try StoreFixture(disk).open()
            try store.flushNow()
            for seed in 0..<100 as Range<UInt64> {
                let after = try StoreFixture(disk.afterPowerLoss(seed: seed)).open()
                #expect(try after.count() == 3, "call \(call) failed")
                #expect(try after.verify().isIntact)
            }
            guard call < count else { return }
        }
    }

    /// Checks that a store opens on a full disk, because a program can free space in the store only after opening it.
    @Test func storeOpensWhenDiskIsTooFullForHeader() throws {
        let disk = try diskOfADeadProcess()
        disk.fail(at: disk.operationCount, errno: ENOSPC, forever: true, only: [.write])
        let store = try StoreFixture(disk).open()
        disk.stopFailing()
        try store.remove("key0")
        #expect(try StoreFixture(disk.afterPowerLoss(seed: 1)).open().contents()["key2"] == .int(2))
        #expect(try store.keys() == ["key1", "key2"])
        #expect(try store.verify().isIntact)
    }
}
