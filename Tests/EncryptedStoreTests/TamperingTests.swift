#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import Testing

@Suite struct TamperingTests {
    let base = MemoryStore()

    @Test(arguments: allOptions)
    func bitFlipInEncryptedValueIsDetected(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set("sealed", for: "k")
        let entry = try #require(try base.entries().first)
        try store.set("other", for: "other")
        let reopened = try EncryptedStore(base, key: exampleKey, options: options)
        for bit in 0..<entry.value.bytes.count * 8 {
            var flipped = entry.value.bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            try base.set(.data(flipped), for: entry.key)
            for store in [store, reopened] {
                expectCode(.damaged, key: "k") { _ = try store.get("k") }
            }
        }
        #expect(try store.get("other") == "other")
        expectCode(.damaged, key: entry.key) { _ = try store.entries() }
        expectCode(.damaged, key: "k") { _ = try store.compareAndSet("k", expecting: nil, to: 1) }
        #expect(try store.verify().problems.map(\.key) == [entry.key])
        try base.set(entry.value, for: entry.key)
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func truncatedEncryptedValueIsDetected(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set("sealed", for: "k")
        let entry = try #require(try base.entries().first)
        let sealed = entry.value.bytes
        for length in 0..<sealed.count {
            try base.set(.data(sealed.prefix(length)), for: entry.key)
            expectCode(.damaged, key: "k") { _ = try store.get("k") }
        }
        for other in [.data(sealed + [0]), .string("plain"), 1] as [StoredValue] {
            try base.set(other, for: entry.key)
            expectCode(.damaged, key: "k") { _ = try store.get("k") }
        }
        try base.set(entry.value, for: entry.key)
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func encryptedValueMovedToAnotherKeyIsDetected(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set(1, for: "a")
        try store.set(1, for: "b")
        let entries = try base.entries()
        try base.set(entries[0].value, for: entries[1].key)
        try base.set(entries[1].value, for: entries[0].key)
        expectCode(.damaged, key: "a") { _ = try store.get("a") }
        expectCode(.damaged, key: "b") { _ = try store.get("b") }
        #expect(try store.verify().problems.count == 2)
        for entry in entries { try base.set(entry.value, for: entry.key) }
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func encryptedValueMovedToAnotherStoreIsDetected(options: EncryptedStore.Options) throws {
        let other = MemoryStore()
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        let target = try EncryptedStore(other, key: exampleKey, options: options)
        for store in [store, target] { try store.set(1, for: "k") }
        let moved = try #require(try base.entries().first).value
        let place = try #require(try other.entries().first)
        try other.set(moved, for: place.key)
        expectCode(.damaged, key: "k") { _ = try target.get("k") }
        // Not even with the session's salt.
        try other.set(try #require(try base.get(saltRecord(0))), for: saltRecord(0))
        let reopened = try EncryptedStore(other, key: exampleKey, options: options)
        expectCode(.damaged, key: "k") { _ = try reopened.get("k") }
        #expect(try target.verify().problems.count == 1)
    }

    /// Restores a value from before a rotation.
    ///
    /// This is the only rollback that is detected after reopening, because the data key was removed.
    @Test(arguments: allOptions)
    func valueRestoredFromBeforeRotationIsDetected(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set(1, for: "k")
        let entry = try #require(try base.entries().first)
        let salt = try #require(try base.get(saltRecord(0)))
        try store.rotateDataKey()
        let current = try #require(try base.get(StoreKey(entry.key)))
        try base.set(salt, for: saltRecord(0))
        try base.set(entry.value, for: StoreKey(entry.key))
        let reopened = try EncryptedStore(base, key: exampleKey, options: options)
        expectCode(.damaged, key: "k") { _ = try reopened.get("k") }
        try base.set(current, for: StoreKey(entry.key))
        try expectIntact(reopened)
    }

    @Test func syncedCommitReturnsFalseIfExpectationFails() throws {
        let store = try EncryptedStore(base, key: exampleKey)
        var batch = StoreBatch()
        batch.expect(1, at: "k")
        batch.set(2, for: "k")
        #expect(try !store.commit(batch, durability: .synced))
        #expect(try store.get("k") == nil)
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func readThrowsIfBaseIsReplacedByAnotherEncryptedStore(options: EncryptedStore.Options) throws {
        let other = MemoryStore()
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set(1, for: "k")
        try EncryptedStore(other, key: exampleKey, options: options).set(2, for: "k")
        for entry in try base.entries() { try base.remove(StoreKey(entry.key)) }
        var batch = StoreBatch()
        for record in [headerRecord, epochRecord, sessionsRecord, saltRecord(0)] {
            batch.write(try other.get(record), for: record)
        }
        for entry in try other.entries() { batch.set(entry.value, for: StoreKey(entry.key)) }
        _ = try base.commit(batch)
        expectCode(.damaged) { _ = try store.entries() }
        #expect(try !store.verify().isIntact)
        let reopened = try EncryptedStore(base, key: exampleKey, options: options)
        #expect(try reopened.get("k") == 2)
        try expectIntact(reopened)
    }

    @Test func bitFlipInEncryptionHeaderIsDetected() throws {
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set(1, for: "k")
        let header = try #require(try base.get(headerRecord)).bytes
        for bit in 0..<header.count * 8 {
            var flipped = header
            flipped[bit / 8] ^= 1 << (bit % 8)
            try base.set(.data(flipped), for: headerRecord)
            let error = #expect(throws: StoreError.self) { _ = try EncryptedStore(base, key: exampleKey) }
            let expected: [StoreError.Code] =
                switch bit / 8 {
                case 3: [.newerFormat]
                // The identifier of the store is part of both key derivations, so the header looks like that of another store.
                case 6..<22: [.wrongKey]
                default: [.damaged]
                }
            #expect(error.map { expected.contains($0.code) } == true, "bit \(bit): \(String(describing: error))")
        }
        for length in 0..<header.count {
            try base.set(.data(header.prefix(length)), for: headerRecord)
            #expect(throws: StoreError.self) { _ = try EncryptedStore(base, key: exampleKey) }
        }
        try base.set("not a header", for: headerRecord)
        expectCode(.damaged) { _ = try EncryptedStore(base, key: exampleKey) }
        #expect(try store.verify().problems.count == 1)
        // An instance that knows the key ring can still read.
        #expect(try store.get("k") == 1)
        try base.set(.data(header), for: headerRecord)
        try expectIntact(store)
    }

    @Test func openAndWriteThrowIfEncryptionHeaderIsMissing() throws {
        let store = try EncryptedStore(base, key: exampleKey)
        let header = try #require(try base.get(headerRecord))
        try base.remove(headerRecord)
        expectCode(.damaged) { _ = try EncryptedStore(base, key: exampleKey) }
        expectCode(.damaged) { try store.set(1, for: "k") }
        #expect(try base.entries().isEmpty)
        try base.set(header, for: headerRecord)
        try expectIntact(store)
    }

    @Test func valuesAreUnreadableIfSaltIsChangedOrMissing() throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        let salt = try #require(try base.get(saltRecord(0)))
        for other in [nil, .data(Data(count: 32)), "salt"] as [StoredValue?] {
            var batch = StoreBatch()
            batch.write(other, for: saltRecord(0))
            _ = try base.commit(batch)
            expectCode(.damaged, key: "k") { _ = try EncryptedStore(base, key: exampleKey).get("k") }
        }
        try base.set(salt, for: saltRecord(0))
        let store = try EncryptedStore(base, key: exampleKey)
        #expect(try store.get("k") == 1)
        try expectIntact(store)
    }

    @Test(arguments: [nil, 0, 9, "x"] as [StoredValue?])
    func writeThrowsIfEpochRecordIsTampered(epoch: StoredValue?) throws {
        let store = try EncryptedStore(base, key: exampleKey)
        try store.set(1, for: "k")
        var batch = StoreBatch()
        batch.write(epoch, for: epochRecord)
        _ = try base.commit(batch)
        expectCode(.damaged) { try store.set(2, for: "k") }
        #expect(try store.get("k") == 1)
        #expect(try !store.verify().isIntact)
        try base.set(1, for: epochRecord)
        try store.set(2, for: "k")
        try expectIntact(store)
    }

    @Test(arguments: [nil, 0, -1, 4_294_967_296, "x"] as [StoredValue?])
    func writeThrowsIfSessionCounterIsTampered(number: StoredValue?) throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        var batch = StoreBatch()
        batch.write(number, for: sessionsRecord)
        _ = try base.commit(batch)
        let store = try EncryptedStore(base, key: exampleKey)
        expectCode(.damaged) { try store.set(2, for: "k") }
        #expect(try store.get("k") == 1)
        #expect(try store.verify().problems.count == 1)
        try base.set(1, for: sessionsRecord)
        try store.set(2, for: "k")
        try expectIntact(store)
    }
}
#endif
