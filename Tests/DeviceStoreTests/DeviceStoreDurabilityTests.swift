import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Tests of synced commits, and of commits whose sync failed.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreDurabilityTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func commitSyncedDuringOpenSurvivesConcurrentCompaction(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        try fixture.open().setSynced(0, for: "a")
        let meddled = MeddledFileSystem(.syncing, StoreFixture.path + LogFormat.newSuffix, on: fixture.disk)
        let store = try silently { try SimulatedStore(on: meddled, io).open() }
        try store.set(1, for: "a")
        let opened = Mutex<Result<DeviceStore, any Error>?>(nil)
        meddled.once {
            let result = Result {
                try store.set(2, for: "a")
                let other = try fixture.open()
                try other.flushNow()
                return other
            }
            opened.withLock { $0 = result }
        }
        try store.compact()
        let other = try #require(try opened.withLock(\.self)?.get())
        for seed in UInt64(0)..<8 {
            let after = try StoreFixture(fixture.disk.afterPowerLoss(seed: seed), io: io).open()
            #expect(try after.get("a") == 2)
            #expect(try after.verify().isIntact)
        }
        #expect(try other.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func syncErrorMessageSaysCommitWasMade(io: DeviceStoreOptions.IO) throws {
        let fixture = StoreFixture(io: io)
        try fixture.open().setSynced(0, for: "a")
        let meddled = MeddledFileSystem(.syncing, StoreFixture.path, on: fixture.disk)
        let store = try silently { try SimulatedStore(on: meddled, io).open() }
        // Safe because this thread sets it, inside the put.
        nonisolated(unsafe) var lock: ControlLock?
        meddled.once { lock = try? ControlLock(of: fixture.disk.open(StoreFixture.path + ".ctl", .writing)) }
        let error = #expect(throws: StoreError.self) { try store.setSynced(1, for: "a") }
        // Not `busy`, after which callers retry.
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("was made") == true)
        #expect(try store.get("a") == 1)
        try #require(lock).release()
        try store.flushNow()
        #expect(try store.verify().isIntact)
    }

    @Test func oversizedCommitIsRejectedBeforeAllocation() throws {
        let store = try StoreFixture().open()
        // The memory is never read, so the value occupies none.
        let value = StoredValue.data(Data(count: LogFormat.maximumFrameLength))
        var batch = StoreBatch()
        for number in 0..<1_000 { batch.set(value, for: StoreKey("\(number)")) }
        let error = #expect(throws: StoreError.self) { _ = try store.commit(batch, durability: .buffered) }
        #expect(error?.code == .unsupportedValue)
        #expect(try store.keys().isEmpty)
        #expect(try store.verify().isIntact)
    }

    @Test func failedStoreCreationLeavesNoFiles() throws {
        var failures = 0
        for number in 0..<30 {
            let disk = SimulatedFileSystem(directories: ["/data"])
            disk.fail(at: number, errno: 28)
            guard (try? StoreFixture(disk).open()) == nil else { continue }
            failures += 1
            #expect(try disk.information(at: StoreFixture.path + LogFormat.newSuffix, followingLinks: false) == nil)
            #expect(try StoreFixture(disk).open().verify().isIntact)
        }
        #expect(failures > 3)
    }
}
