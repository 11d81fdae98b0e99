#if Encryption
import DeviceStoreProofs
import LarderCore
import LarderStores
import Synchronization
import Testing

/// Tests of stores that are opened by a different program than the one that created them.
@Suite struct RecognitionTests {
    private let base = MemoryStore()
    private let keyBytes = (0..<32).map { UInt8($0) }

    @Test func encryptedStoreIsDetectedInBaseStore() throws {
        try base.set(1, for: "plain")
        #expect(try !EncryptedEntries.exist(in: base))
        let other = MemoryStore()
        let store = try EncryptedStore(other, key: exampleKey)
        #expect(try EncryptedEntries.exist(in: other))
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func encryptedStoreOpensWithOriginalOptions(options: EncryptedStore.Options) throws {
        try EncryptedStore(base, key: exampleKey, options: options).set(1, for: "k")
        let store = try EncryptedStore(opening: base, keyBytes: keyBytes)
        #expect(try store.get("k") == 1)
        try store.set(2, for: "k")
        #expect(try EncryptedStore(base, key: exampleKey, options: options).get("k") == 2)
        try expectIntact(store)
    }

    @Test func newEncryptedStoreHasDefaultOptions() throws {
        try EncryptedStore(opening: base, keyBytes: keyBytes).set(1, for: "k")
        let store = try EncryptedStore(base, key: exampleKey)
        #expect(try store.get("k") == 1)
        try expectIntact(store)
    }

    @Test func wrongKeyThrowsAndChangesNothing() throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        let before = base.revision
        expectCode(.wrongKey) { _ = try EncryptedStore(opening: base, keyBytes: keyBytes.reversed()) }
        #expect(base.revision == before)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    /// Checks that a base with reserved records is refused.
    ///
    /// They would stay unencrypted forever, because an encrypted store doesn't find them.
    @Test func baseStoreWithReservedRecordsIsRejected() throws {
        let device = try SimulatedStore(on: SimulatedStore.disk(), .systemCalls).open()
        let record = StoreKey(reserved: ".outbox:1:o:entry:1")
        try device.set("to be sent", for: record)
        #expect(try !EncryptedEntries.mayBegin(in: device))
        expectCode(.invalidConfiguration) { _ = try EncryptedStore(device, key: exampleKey) }
        #expect(try device.get(record) == "to be sent")
        #expect(try !EncryptedEntries.exist(in: device))
        // A prefixed view of the store is accepted.
        let part = PrefixedStore(device, prefix: "part.")
        try EncryptedStore(part, key: exampleKey).set(1, for: "k")
        try expectIntact(EncryptedStore(part, key: exampleKey))
        try device.remove(record)
        try expectIntact(device)
    }

    /// Lets another process create a store between the check for a header and the check for entries.
    @Test(arguments: 0..<6) func concurrentlyCreatedEncryptedStoreIsOpened(call: Int) throws {
        let base = MemoryStore()
        let calls = Mutex(0)
        let watched = InterruptedStore(base) { _ in
            let number = calls.withLock { calls in
                defer { calls += 1 }
                return calls
            }
            guard number == call else { return }
            #expect(throws: Never.self) { try EncryptedStore(base, key: exampleKey).set(1, for: "k") }
        }
        try expectIntact(EncryptedStore(watched, key: exampleKey))
    }
}
#endif
