#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

/// Tests of encryption records that are reported as doubtful when the base store is repaired.
@Suite struct RepairedBaseTests {
    private let disk = SimulatedStore.disk()
    private var simulated: SimulatedStore { SimulatedStore(on: disk, .systemCalls) }

    /// Closes the store, damages the commit at `place`, and repairs the file.
    private func repair(_ base: DeviceStore, damagedAt place: Int) throws -> DeviceStoreDamage {
        try base.flushNow()
        try base.closeNow()
        try disk.open(SimulatedStore.path, .writing).write([0xFF], at: place + 20)
        return try #require(try DeviceStore.repair(at: SimulatedStore.path, options: simulated.options()))
    }

    @Test func repairReportsPossiblyOutdatedEncryptionHeader() throws {
        let base = try simulated.open()
        let (_, former, current) = try storeWithAnotherKey(in: base)
        // Both are in the file until it is compacted.
        try base.set(former, for: headerRecord)
        let place = try base.statistics().usedBytes
        try base.set(current, for: headerRecord)
        let damage = try repair(base, damagedAt: place)
        let names = ["", ".epoch", ".session.0", ".sessions"]
        #expect(damage.recordsInDoubt == names.map { "larder.encrypted" + $0 })
        #expect(damage.keysInDoubt == ["k"])
        #expect(damage.description.contains("a former key"))
        let reopened = try EncryptedStore(simulated.open(), key: exampleKey)
        #expect(try reopened.get("k") == 1)
        try expectIntact(reopened)
    }

    @Test func verifyReportsValuesOfLostEncryptionSession() throws {
        let base = try simulated.open()
        try EncryptedStore(base, key: exampleKey).set(1, for: "a")
        let other = try EncryptedStore(base, key: exampleKey)
        let place = try base.statistics().usedBytes
        for key in ["b", "c"] { try other.set(2, for: StoreKey(key)) }
        let damage = try repair(base, damagedAt: place)
        #expect(damage.missingCommits == 1)
        #expect(damage.keptEntries == 3)
        #expect(damage.recordsInDoubt.contains("larder.encrypted.sessions"))
        #expect(damage.description.contains("session records may be missing"))
        let reopened = try EncryptedStore(simulated.open(), key: exampleKey)
        #expect(try reopened.verify().problems.map(\.key) == ["b", "c"])
        #expect(try reopened.get("a") == 1)
        for key in ["b", "c"] { try reopened.set(3, for: StoreKey(key)) }
        try expectIntact(reopened)
    }

    @Test func repairReportsEncryptionRecordsOfPrefixedStore() throws {
        let base = try simulated.open()
        let part = PrefixedStore(base, prefix: "part.")
        let store = try EncryptedStore(part, key: exampleKey)
        try store.set(1, for: "k")
        let place = try base.statistics().usedBytes
        try store.set(2, for: "k")
        let damage = try repair(base, damagedAt: place)
        #expect(damage.recordsInDoubt.count == 4)
        #expect(damage.recordsInDoubt.contains("larder.view:5:part..encrypted"))
        #expect(damage.description.contains("encrypted store"))
        let reopened = try EncryptedStore(PrefixedStore(simulated.open(), prefix: "part."), key: exampleKey)
        #expect(try reopened.get("k") == 1)
        try expectIntact(reopened)
    }

    @Test func repairReportsReservedRecordsInDoubt() throws {
        let base = try simulated.open()
        try base.set(1, for: StoreKey(reserved: ".side"))
        let place = try base.statistics().usedBytes
        try base.set(2, for: StoreKey(reserved: ".side"))
        let damage = try repair(base, damagedAt: place)
        #expect(damage.recordsInDoubt == ["larder.side"])
        #expect(damage.keptEntries == 0)
        #expect(damage.keysInDoubt == [])
        #expect(!damage.description.contains("encrypted"))
        #expect(damage.description.contains("1 internal record of Larder"))
        try expectIntact(simulated.open())
    }
}
#endif
