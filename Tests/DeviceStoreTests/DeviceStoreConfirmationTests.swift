import DeviceStoreProofs
import Foundation
import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// What somebody was told to be on the disk, and what could not be confirmed.
@Suite(.expectsIssues(.degraded)) struct DeviceStoreConfirmationTests {
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func whatAnOpeningHasSyncedSurvivesACompactionThatWasUnderWay(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        try lying.open().setSynced(0, for: "a")
        let meddled = MeddledFileSystem(.syncing, LyingStore.path + LogFormat.newSuffix, on: lying.disk)
        let store = try silently { try SimulatedStore(on: meddled, io).open() }
        try store.set(1, for: "a")
        let opened = Mutex<Result<DeviceStore, any Error>?>(nil)
        meddled.once {
            let result = Result {
                try store.set(2, for: "a")
                let other = try lying.open()
                try other.flushNow()
                return other
            }
            opened.withLock { $0 = result }
        }
        try store.compact()
        let other = try #require(try opened.withLock(\.self)?.get())
        for seed in UInt64(0)..<8 {
            let after = try LyingStore(lying.disk.afterPowerLoss(seed: seed), io: io).open()
            #expect(try after.get("a") == 2)
            #expect(try after.verify().isIntact)
        }
        #expect(try other.verify().isIntact)
    }

    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func aCommitThatIsInPlaceAndCanNotBeConfirmedSaysThatItIs(io: DeviceStoreOptions.IO) throws {
        let lying = LyingStore(io: io)
        try lying.open().setSynced(0, for: "a")
        let meddled = MeddledFileSystem(.syncing, LyingStore.path, on: lying.disk)
        let store = try silently { try SimulatedStore(on: meddled, io).open() }
        // Unsafe to the compiler alone: it is set by this thread, inside of the put.
        nonisolated(unsafe) var lock: ControlLock?
        meddled.once { lock = try? ControlLock(of: lying.disk.open(LyingStore.path + ".ctl", .writing)) }
        let error = #expect(throws: StoreError.self) { try store.setSynced(1, for: "a") }
        // Not `busy`, after which one tries again.
        #expect(error?.code == .inputOutput)
        #expect(error?.message.contains("is in place") == true)
        #expect(try store.get("a") == 1)
        try #require(lock).letGo()
        try store.flushNow()
        #expect(try store.verify().isIntact)
    }

    @Test func aCommitThatIsTooLongIsRefusedBeforeItTakesMemory() throws {
        let store = try LyingStore().open()
        // Never looked at, so it takes no memory either.
        let value = StoredValue.data(Data(count: LogFormat.maximumFrameLength))
        var batch = StoreBatch()
        for number in 0..<1_000 { batch.set(value, for: StoreKey("\(number)")) }
        let error = #expect(throws: StoreError.self) { _ = try store.commit(batch, durability: .buffered) }
        #expect(error?.code == .unsupportedValue)
        #expect(try store.keys().isEmpty)
        #expect(try store.verify().isIntact)
    }

    @Test func aStoreThatCouldNotBeMadeLeavesNothing() throws {
        var failures = 0
        for number in 0..<30 {
            let disk = LyingFileSystem(directories: ["/data"])
            disk.fail(at: number, errno: 28)
            guard (try? LyingStore(disk).open()) == nil else { continue }
            failures += 1
            #expect(try disk.information(at: LyingStore.path + LogFormat.newSuffix, followingLinks: false) == nil)
            #expect(try LyingStore(disk).open().verify().isIntact)
        }
        #expect(failures > 3)
    }
}
