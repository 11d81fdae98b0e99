import DeviceStoreProofs
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Testing

/// What an opening that is cut off, or that fails, owes to the next one.
@Suite struct DeviceStoreOpeningTests {
    /// A disk after a loss of power: of three commits the header states the first; the second did not arrive, and the third did.
    private func disk() -> LyingFileSystem {
        let commits = [entry(0x61, 1), entry(0x62, 2), entry(0x63, 3)]
        var changes = [UInt8](repeating: 0, count: 72 - 8)
        changes[64 - 8] = 24
        var frames = HandmadeLog.frames(commits)
        for offset in 24..<40 { frames[offset] = 0 }
        let log = HandmadeLog.header(changedBy: changes) + frames + [UInt8](repeating: 0, count: 4096)
        return LyingFileSystem(directories: ["/data"], files: [LyingStore.path: log], isRecording: true)
    }

    private func entry(_ key: UInt8, _ number: UInt8) -> [UInt8] { [1, 1, 2, key, 3, 2 * number] }

    /// A new commit of the same length in the place of the second must not bring back the third.
    private func expectNothingComesBack(_ disk: LyingFileSystem, _ comment: Comment) throws {
        let opened = try LyingStore(disk).open()
        // Closing it would sync it.
        defer { withExtendedLifetime(opened) {} }
        try opened.set(.int(4), for: "d")
        for seed in 0..<100 as Range<UInt64> {
            let after = LyingStore(disk.afterPowerLoss(seed: seed, tearing: .bytes))
            let store = try after.open()
            let contents = try store.contents()
            #expect(contents == ["a": .int(1)] || contents == ["a": .int(1), "d": .int(4)], comment)
            #expect(try store.verify().isIntact)
        }
    }

    @Test func aTornTailThatAnOpenerDiedRemovingNeverComesBack() throws {
        for call in 0... {
            let disk = disk()
            let process = LyingProcess(on: disk)
            process.die(atCall: call)
            let store = try? silently { try SimulatedStore(on: process, .systemCalls).open() }
            let wasKilled = process.wasKilled
            if !wasKilled { process.kill() }
            withExtendedLifetime(store) {}
            process.bury()
            try expectNothingComesBack(disk, "killed at call \(call)")
            guard wasKilled else { return }
        }
    }

    @Test func aTornTailWhoseRemovalFailedNeverComesBack() throws {
        for call in 0... {
            let disk = disk()
            disk.fail(at: call, errno: EIO)
            let store = try? LyingStore(disk).open()
            let count = disk.operationCount
            disk.stopFailing()
            try store?.closeNow()
            try expectNothingComesBack(disk, "call \(call) failed")
            guard call < count else { return }
        }
    }

    /// What the disk could not confirm to an opener is not said to be on it by the next one.
    @Test func aSyncThatFailedWhileOpeningIsNotRepeated() throws {
        for call in 0... {
            let disk = LyingFileSystem(directories: ["/data"])
            let process = LyingProcess(on: disk)
            let dead = try SimulatedStore(on: process, .systemCalls).open()
            for number in 0..<3 { try dead.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
            process.kill()
            process.bury()
            let first = disk.operationCount
            disk.fail(at: first + call, errno: EIO)
            let failed = try? LyingStore(disk).open()
            let count = disk.operationCount - first
            disk.stopFailing()
            try failed?.closeNow()
            let store = try LyingStore(disk).open()
            try store.flushNow()
            for seed in 0..<100 as Range<UInt64> {
                let after = try LyingStore(disk.afterPowerLoss(seed: seed)).open()
                #expect(try after.count() == 3, "call \(call) failed")
                #expect(try after.verify().isIntact)
            }
            guard call < count else { return }
        }
    }
}
