import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Testing

/// What an opening that is cut off, or that fails, owes to the next one.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreOpeningTests {
    /// So long that the next commit begins with a sector of the disk, and need not arrive together with this one.
    private static func long(_ letter: String) -> StoredValue { .string(String(repeating: letter, count: 460)) }

    /// A disk after a loss of power: of three commits the header states the first; the second did not arrive, and the third did.
    private func disk() throws -> LyingFileSystem {
        let lying = LyingStore()
        let store = try lying.open()
        try store.set(.int(1), for: "a")
        try store.flushNow()
        try store.set(Self.long("b"), for: "b")
        try store.set(.int(3), for: "c")
        let file = try lying.disk.open(LyingStore.path, .reading)
        var log = try file.read(at: 0, count: file.information().size)
        // The length of the third frame, at the beginning of a sector, and the second one, behind 24 bytes of the first.
        try #require(log[4096 + 512 + 4] == 22)
        log.replaceSubrange(4096 + 24..<4096 + 48, with: [UInt8](repeating: 0, count: 24))
        return LyingFileSystem(directories: ["/data"], files: [LyingStore.path: log], isRecording: true)
    }

    /// A disk with a store that a process had open when it was killed, in which each key's number is its value.
    private func diskOfADeadProcess() throws -> LyingFileSystem {
        let disk = LyingFileSystem(directories: ["/data"])
        let process = LyingProcess(on: disk)
        do {
            let store = try SimulatedStore(on: process, .systemCalls).open()
            for number in 0..<3 { try store.set(.int(Int64(number)), for: StoreKey("key\(number)")) }
            process.kill()
            // What it does when it is let go of is nothing that a process which was killed does.
            withExtendedLifetime(store) {}
        }
        process.bury()
        return disk
    }

    /// A new commit of the same length in the place of the second must not bring back the third.
    private func expectNothingComesBack(_ disk: LyingFileSystem, _ comment: Comment) throws {
        let opened = try LyingStore(disk).open()
        // Closing it would sync it.
        defer { withExtendedLifetime(opened) {} }
        #expect(try opened.contents() == ["a": .int(1)], comment)
        try opened.set(Self.long("d"), for: "d")
        for seed in 0..<100 as Range<UInt64> {
            let store = try LyingStore(disk.afterPowerLoss(seed: seed, tearing: .sectors)).open()
            #expect(try ["a", "d"].starts(with: store.keys()), comment)
            #expect(try store.verify().isIntact)
        }
    }

    @Test func aTornTailThatAnOpenerDiedRemovingNeverComesBack() throws {
        for call in 0... {
            let disk = try disk()
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
            let disk = try disk()
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
            let disk = try diskOfADeadProcess()
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

    /// Only who opens a store can make room by removing something.
    @Test func aStoreWhoseHeaderCanNotBeWrittenForWantOfRoomIsOpened() throws {
        let disk = try diskOfADeadProcess()
        disk.fail(at: disk.operationCount, errno: ENOSPC, forever: true, only: [.write])
        let store = try LyingStore(disk).open()
        disk.stopFailing()
        try store.remove("key0")
        #expect(try LyingStore(disk.afterPowerLoss(seed: 1)).open().contents()["key2"] == .int(2))
        #expect(try store.keys() == ["key1", "key2"])
        #expect(try store.verify().isIntact)
    }
}
