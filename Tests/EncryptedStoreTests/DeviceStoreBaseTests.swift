#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

/// The documented base: an encrypted store in a device store.
@Suite struct DeviceStoreBaseTests {
    @Test(arguments: KeyValueStoreContract.Check.allCases, [false, true])
    func storeInADeviceStoreKeepsTheContract(check: KeyValueStoreContract.Check, hidesNames: Bool) async throws {
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
        try await contract.run(check)
    }

    @Test func wrongKeyLeavesTheFileAsItWas() throws {
        let folder = try TemporaryDirectory()
        let base = try DeviceStore(path: folder.path("s.larder"))
        try EncryptedStore(base, key: exampleKey).set("secret", for: "k")
        let (revision, entries) = (try base.revision, try base.entries())
        expectCode(.wrongKey) { _ = try EncryptedStore(base, key: otherKey) }
        #expect(try base.revision == revision)
        #expect(try base.entries() == entries)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    /// The power goes after each change that a rotation makes to the disk, with what was not yet synced kept or lost.
    @Test(arguments: DeviceStoreOptions.IO.allCases)
    func rotationCutOffByAPowerLossLosesNothing(io: DeviceStoreOptions.IO) throws {
        let disk = SimulatedStore.disk()
        let base = try SimulatedStore(on: disk, io).open()
        let store = try RotationTests.fill(base)
        try base.flushNow()
        let filled = disk.eventCount
        try store.rotateDataKey()
        try base.flushNow()
        let rotated = disk.eventCount
        var images = 0
        _ = try silently {
            try disk.forEachCrashImage(from: filled, limit: 4) { image in
                images += 1
                let base = try SimulatedStore(on: image.fileSystem, io).open()
                let reopened = try RotationTests.open(base)
                try RotationTests.expectAll(reopened)
                try reopened.rotateDataKey()
                #expect(try !reopened.isRotationPending)
                try RotationTests.expectAll(RotationTests.open(base))
            }
        }
        // Adding a key, three commits of entries, and removing the older key.
        #expect(rotated - filled >= 5)
        #expect(images > rotated - filled)
    }

    /// The process that rotates ends after each call that the base takes, and another one goes on with the same file.
    @Test func rotationCutOffByAKillIsResumedByAnotherProcess() throws {
        var allowed = 0
        while true {
            let disk = SimulatedStore.disk(isRecording: false)
            let base = try SimulatedStore(on: disk, .allCases[0]).open()
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
            let other = try SimulatedStore(on: disk, .allCases[0]).open()
            let reopened = try RotationTests.open(other)
            try RotationTests.expectAll(reopened)
            try reopened.rotateDataKey()
            #expect(try !reopened.isRotationPending)
            try RotationTests.expectAll(RotationTests.open(other))
            guard isKilled else { break }
            allowed += 1
        }
        #expect(allowed > 40)
    }
}
#endif
