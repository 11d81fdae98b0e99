#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Testing

/// What a repair of the device store beneath says of the records that everything hangs on.
@Suite struct RepairedBaseTests {
    private let disk = SimulatedStore.disk()
    private var simulated: SimulatedStore { SimulatedStore(on: disk, .systemCalls) }

    /// Closes the store, damages the commit at `place`, and repairs it.
    private func repair(_ base: DeviceStore, damagedAt place: Int) throws -> DeviceStoreDamage {
        try base.flushNow()
        try base.closeNow()
        try disk.open(SimulatedStore.path, .writing).write([0xFF], at: place + 20)
        return try #require(try DeviceStore.repair(at: SimulatedStore.path, options: simulated.options()))
    }

    @Test func aHeaderThatMayBeAnOlderOneIsNamed() throws {
        let base = try simulated.open()
        let (_, former, current) = try storeWithAnotherKey(in: base)
        // Both lie in the file as long as it can't be compacted.
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

    @Test func theValuesOfASessionThatIsGoneAreNamedByVerify() throws {
        let base = try simulated.open()
        try EncryptedStore(base, key: exampleKey).set(1, for: "a")
        let other = try EncryptedStore(base, key: exampleKey)
        let place = try base.statistics().usedBytes
        for key in ["b", "c"] { try other.set(2, for: StoreKey(key)) }
        let damage = try repair(base, damagedAt: place)
        #expect(damage.missingCommits == 1)
        #expect(damage.keptEntries == 3)
        #expect(damage.recordsInDoubt.contains("larder.encrypted.sessions"))
        #expect(damage.description.contains("records of sessions may be missing"))
        let reopened = try EncryptedStore(simulated.open(), key: exampleKey)
        #expect(try reopened.verify().problems.map(\.key) == ["b", "c"])
        #expect(try reopened.get("a") == 1)
        for key in ["b", "c"] { try reopened.set(3, for: StoreKey(key)) }
        try expectIntact(reopened)
    }

    @Test func theRecordsOfAPartAreNamedAsWell() throws {
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

    @Test func otherRecordsOfLardersOwnAreCounted() throws {
        let base = try simulated.open()
        try base.set(1, for: StoreKey(reserved: ".side"))
        let place = try base.statistics().usedBytes
        try base.set(2, for: StoreKey(reserved: ".side"))
        let damage = try repair(base, damagedAt: place)
        #expect(damage.recordsInDoubt == ["larder.side"])
        #expect(damage.keptEntries == 0)
        #expect(damage.keysInDoubt == [])
        #expect(!damage.description.contains("encrypted"))
        #expect(damage.description.contains("records"))
        try expectIntact(simulated.open())
    }
}
#endif
