#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import LarderTestTraits
import LarderTesting
import Testing

/// Tests of an encrypted store in a device store, which is the recommended base.
@Suite struct DeviceStoreBaseTests {
    @Test(arguments: KeyValueStoreContract.Check.allCases, [false, true])
    func encryptedDeviceStoreFulfillsStoreContract(check: KeyValueStoreContract.Check, hidesNames: Bool) async throws {
        let contract = KeyValueStoreContract(
            place: { try TemporaryDirectory() },
            open: { folder in
                try EncryptedStore(
                    DeviceStore(path: folder.path("s.larder")),
                    key: exampleKey,
                    options: .init(hidesNames: hidesNames)
                )
            }
        )
        try await contract.sized(operationsOfEachThread: ProofVolume.of(2_000)).run(check)
    }

    @Test func wrongEncryptionKeyLeavesFileUnchanged() throws {
        let folder = try TemporaryDirectory()
        let base = try DeviceStore(path: folder.path("s.larder"))
        try EncryptedStore(base, key: exampleKey).set("secret", for: "k")
        let (revision, entries) = (try base.revision, try base.entries())
        expectCode(.wrongKey) { _ = try EncryptedStore(base, key: otherKey) }
        #expect(try base.revision == revision)
        #expect(try base.entries() == entries)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    /// Simulates a power loss after each change that a rotation makes to the disk.
    ///
    /// Unsynced changes are kept, lost or torn, between sectors and between bytes.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func keyRotationIsResumedAfterPowerLoss(io: DeviceStoreOptions.IO) throws {
        let disk = SimulatedStore.disk()
        let base = try SimulatedStore(on: disk, io).open()
        let store = try RotationTests.fill(base)
        try base.flushNow()
        let filled = disk.eventCount
        try store.rotateDataKey()
        try base.flushNow()
        let rotated = disk.eventCount
        var images = 0
        func look(_ image: CrashImage) throws {
            images += 1
            try Self.expectResumed(on: image.fileSystem, io)
        }
        try silently {
            try disk.forEachCrashImage(atLeast: 1, from: filled, limit: 16, look)
            try disk.forEachSampledCrashImage(atLeast: 1, from: filled, seed: 1, perPoint: ProofVolume.of(40), look)
        }
        // Adding a key, three commits of entries, and removing the old key.
        #expect(rotated - filled >= 5)
        #expect(images > ProofVolume.of(40) * (rotated - filled))
    }

    /// Ends the rotating process after each call to the base store.
    ///
    /// Another process then continues with the same file.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func killedKeyRotationIsResumedByAnotherProcess(io: DeviceStoreOptions.IO) throws {
        var allowed = 0
        while true {
            let disk = SimulatedStore.disk(isRecording: false)
            let base = try SimulatedStore(on: disk, io).open()
            _ = try RotationTests.fill(base)
            let killed = InterruptedStore(base)
            let store = try RotationTests.open(killed)
            killed.allow(allowed)
            let isKilled: Bool
            do {
                try store.rotateDataKey()
                isKilled = false
            } catch is InterruptedStore.Killed {
                isKilled = true
            }
            try Self.expectResumed(on: disk, io)
            guard isKilled else { break }
            allowed += 1
        }
        #expect(allowed > 40)
    }

    /// Kills the rotating process in each of its system calls, after nothing, a part, or everything was written.
    @Test(.expectsIssues(.degraded), arguments: DeviceStoreOptions.IO.allCases, [0, 13, .max])
    func keyRotationKilledInSystemCallIsResumedByAnotherProcess(io: DeviceStoreOptions.IO, written: Int) throws {
        var call = 0
        while true {
            let disk = SimulatedStore.disk()
            guard try Self.rotate(on: disk, io, dyingAt: call, having: written) else { break }
            try silently { try Self.expectResumed(on: disk, io) }
            call += 1
        }
        // There is one call for each commit, but a memory-mapped log makes hardly any system calls.
        #expect(call >= (io == .mapped ? 1 : 5))
    }

    /// Rotates the data key, and returns whether the process died before the rotation was complete.
    private static func rotate(
        on disk: SimulatedFileSystem,
        _ io: DeviceStoreOptions.IO,
        dyingAt call: Int,
        having written: Int
    ) throws -> Bool {
        let process = SimulatedProcess(on: disk)
        defer { process.bury() }
        let store = try RotationTests.fill(SimulatedStore(on: process, io).open())
        process.die(atCall: call, writing: written)
        do {
            try store.rotateDataKey()
        } catch {
            guard process.wasKilled else { throw error }
        }
        return process.wasKilled
    }

    /// Checks that another process finds all values and completes the rotation or starts a new one.
    private static func expectResumed(on disk: SimulatedFileSystem, _ io: DeviceStoreOptions.IO) throws {
        let base = try SimulatedStore(on: disk, io).open()
        let store = try RotationTests.open(base)
        try RotationTests.expectAll(store)
        try store.rotateDataKey()
        #expect(try !store.isRotationPending)
        try RotationTests.expectAll(RotationTests.open(base))
        try expectIntact(base)
    }
}
#endif
