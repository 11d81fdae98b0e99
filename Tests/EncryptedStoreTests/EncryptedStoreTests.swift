#if Encryption
import Crypto
import Foundation
import LarderCore
import LarderStores
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

@Suite struct EncryptedStoreTests {
    let base = MemoryStore()

    // MARK: - Opening

    @Test(arguments: allOptions)
    func wrongKeyThrowsAndChangesNothing(options: EncryptedStore.Options) throws {
        try EncryptedStore(base, key: exampleKey, options: options).set("secret", for: "k")
        let revision = base.revision
        expectCode(.wrongKey) { _ = try EncryptedStore(base, key: otherKey, options: options) }
        #expect(base.revision == revision)
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        #expect(try store.get("k") == "secret")
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func openingEncryptedStoreWithDifferentOptionsFails(options: EncryptedStore.Options) throws {
        _ = try EncryptedStore(base, key: exampleKey, options: options)
        for other in allOptions where other != options {
            expectCode(.invalidConfiguration) { _ = try EncryptedStore(base, key: exampleKey, options: other) }
        }
    }

    @Test func shortEncryptionKeyIsRejected() {
        let short = SymmetricKey(data: [UInt8](repeating: 1, count: 15))
        expectCode(.invalidConfiguration) { _ = try EncryptedStore(base, key: short) }
        expectCode(.invalidConfiguration) { try EncryptedStore(base, key: exampleKey).changeKey(to: short) }
    }

    @Test func baseStoreWithUnencryptedEntriesIsRejected() throws {
        try base.set(1, for: "plain")
        expectCode(.invalidConfiguration) { _ = try EncryptedStore(base, key: exampleKey) }
        #expect(try base.get(headerRecord) == nil)
        let view = try EncryptedStore(PrefixedStore(base, prefix: "sealed."), key: exampleKey)
        try view.set(2, for: "k")
        #expect(try base.entries().map(\.key) == ["plain", "sealed.k"])
        try expectIntact(view)
    }

    @Test func baseStoreWithoutDataSupportIsRejected() throws {
        let folder = try TemporaryDirectory()
        let base = try SharedPreferencesStore(path: folder.path("s.xml"))
        expectCode(.invalidConfiguration) { _ = try EncryptedStore(base, key: exampleKey) }
        #expect(try base.entries().isEmpty)
    }

    @Test func storeOfOneMachineIsRejectedInAReplicatedBase() throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        expectCode(.invalidConfiguration) { _ = try EncryptedStore(ReplicatedBase(base: base), key: exampleKey) }
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func keysOfAReplicatedStoreAreNotChangedByBlockingCalls() throws {
        let store = try EncryptedStore(ReplicatedBase(base: base), key: exampleKey)
        try store.set(1, for: "k")
        expectCode(.invalidConfiguration) { try store.changeKey(to: otherKey) }
        expectCode(.invalidConfiguration) { try store.rotateDataKey() }
        try expectIntact(EncryptedStore(ReplicatedBase(base: base), key: exampleKey))
    }

    @Test func newerEncryptionHeaderVersionIsRejected() throws {
        _ = try EncryptedStore(base, key: exampleKey)
        var header = try #require(try base.get(headerRecord)).bytes
        let known = header
        header[3] = 3
        try base.set(.data(header), for: headerRecord)
        expectCode(.newerFormat) { _ = try EncryptedStore(base, key: exampleKey) }
        try base.set(.data(known), for: headerRecord)
        try expectIntact(EncryptedStore(base, key: exampleKey))
    }

    @Test func readingFromEncryptedStoreWritesNothing() throws {
        try EncryptedStore(base, key: exampleKey).set(1, for: "k")
        let revision = base.revision
        let store = try EncryptedStore(base, key: exampleKey)
        #expect(try store.get("k") == 1)
        #expect(try store.entries().count == 1)
        try expectIntact(store)
        #expect(base.revision == revision)
    }

    @Test func concurrentCreationOpensExistingEncryptedStore() throws {
        let made = Mutex(false)
        let racing = InterruptedStore(base) { [base] commit in
            guard commit != nil,
                !made.withLock({ made in
                    defer { made = true }; return made
                })
            else { return }
            #expect(throws: Never.self) { try EncryptedStore(base, key: exampleKey).set(1, for: "first") }
        }
        let store = try EncryptedStore(racing, key: exampleKey)
        #expect(try store.get("first") == 1)
        try expectIntact(store)
    }

    // MARK: - Visible data

    @Test(arguments: allOptions)
    func baseStoreContainsNoPlaintext(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        try store.set("a very secret text", for: "a very secret key")
        let stored = try #require(try base.entries().first)
        #expect(stored.value.bytes.range(of: Data("secret".utf8)) == nil)
        #expect(stored.key.contains("secret") == !options.hidesNames)
        #expect(stored.value.bytes.count == (options.hidesNames ? 2 + 17 : 0) + 20 + 28)
        try expectIntact(store)
    }

    @Test func limitationsMentionUnencryptedMetadata() throws {
        let open = try EncryptedStore(base, key: exampleKey)
        let hidden = try EncryptedStore(MemoryStore(), key: exampleKey, options: .init(hidesNames: true))
        #expect(open.capabilities.limitations.contains { $0.contains("The keys") })
        #expect(!hidden.capabilities.limitations.contains { $0.contains("The keys") })
        #expect(open.inspectionKind == "encrypted memory")
        #expect(open.inspectionName == base.inspectionName)
    }

    // MARK: - Keys

    @Test(arguments: allOptions)
    func encryptedStoreDoesNotListReservedKeys(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        let own = StoreKey(reserved: ".expiry")
        let changes = Mutex<[StoreEvent]>([])
        let observation = store.observe(prefix: "") { event in changes.withLock { $0.append(event) } }
        try store.set(7, for: own)
        observation.cancel()
        #expect(try store.get(own) == 7)
        #expect(try store.entries().isEmpty)
        #expect(changes.withLock { $0 }.isEmpty)
        #expect(try store.verify().checkedEntries == 1)
        try expectIntact(store)
    }

    @Test(arguments: allOptions)
    func userKeysResemblingReservedKeysAreStored(options: EncryptedStore.Options) throws {
        let store = try EncryptedStore(base, key: exampleKey, options: options)
        let keys = ["", "\u{1}", "\u{1}\u{1}", "\u{1}larder", "\u{1}larder.expiry", "\u{2}", "a"]
        try store.set(0, for: StoreKey(reserved: ".expiry"))
        for (number, key) in keys.enumerated() { try store.set(.int(Int64(number)), for: key) }
        #expect(try store.keys() == keys)
        #expect(try store.keys(prefix: "\u{1}") == Array(keys[1...4]))
        #expect(try store.keys(prefix: "\u{1}l") == Array(keys[3...4]))
        #expect(try store.get(StoreKey("larder", prefix: "\u{1}")) == 3)
        #expect(try store.get(StoreKey(reserved: ".expiry")) == 0)
        try expectIntact(store)
    }

    @Test func keyOfMaximumLengthIsAcceptedUnlessEscaped() throws {
        let longest = String(repeating: "x", count: StoreKey.maximumLength)
        let escaped = "\u{1}" + longest.dropFirst()
        for hidesNames in [false, true] {
            let store = try EncryptedStore(MemoryStore(), key: exampleKey, options: .init(hidesNames: hidesNames))
            try store.set(1, for: longest)
            #expect(try store.keys() == [longest])
            expectCode(.keyTooLong) { try store.set(1, for: longest + "x") }
            if hidesNames {
                try store.set(2, for: escaped)
                #expect(try store.get(escaped) == 2)
            } else {
                expectCode(.keyTooLong) { try store.set(2, for: escaped) }
            }
            try expectIntact(store)
        }
    }

    // MARK: - Changes

    @Test func changesByOtherInstanceAreDecrypted() async throws {
        let reader = try EncryptedStore(base, key: exampleKey)
        var changes = reader.changes(prefix: "k").makeAsyncIterator()
        let writer = try EncryptedStore(base, key: exampleKey)
        try writer.set(1, for: "k")
        try writer.set(1, for: "k")
        try await writer.rotateDataKey()
        try writer.set(2, for: "k")
        for (old, new) in [(nil, 1), (1, 2)] as [(StoredValue?, StoredValue?)] {
            let event = await changes.next()
            #expect(event == .change(StoreChange(entries: [.init(key: "k", old: old, new: new)], origin: .thisProcess)))
        }
        try expectIntact(reader)
    }

    @Test(.expectsIssues(.readFailed)) func undecryptableChangeIsReportedAsMissed() async throws {
        let store = try EncryptedStore(base, key: exampleKey)
        var changes = store.changes(prefix: "").makeAsyncIterator()
        var issues = store.issues.makeAsyncIterator()
        try base.set("not sealed", for: "k")
        #expect(await changes.next() == .missed(1))
        let issue = await issues.next()
        #expect(issue?.key == "k")
        try base.remove("k")
        try expectIntact(store)
    }

    @Test func changeSequenceEndsWhenEncryptedStoreIsReleased() async throws {
        var store: EncryptedStore? = try EncryptedStore(MemoryStore(), key: exampleKey)
        var changes = try #require(store).changes(prefix: "").makeAsyncIterator()
        try store?.set(1, for: "k")
        try expectIntact(try #require(store))
        store = nil
        #expect(
            await changes.next()
                == .change(StoreChange(entries: [.init(key: "k", old: nil, new: 1)], origin: .thisProcess))
        )
        #expect(await changes.next() == nil)
    }

    @Test func changeSequenceEndsWhenEncryptedStoreIsReleasedBeforeBase() async throws {
        var store: EncryptedStore? = try EncryptedStore(base, key: exampleKey)
        var changes = try #require(store).changes(prefix: "").makeAsyncIterator()
        try store?.set(1, for: "k")
        try expectIntact(try #require(store))
        store = nil
        try EncryptedStore(base, key: exampleKey).set(2, for: "k")
        #expect(
            await changes.next()
                == .change(StoreChange(entries: [.init(key: "k", old: nil, new: 1)], origin: .thisProcess))
        )
        #expect(await changes.next() == nil)
    }

    @Test func observersAreReleasedWithEncryptedStore() throws {
        final class Witness: Sendable {}
        weak var released: Witness?
        do {
            let store = try EncryptedStore(base, key: exampleKey)
            let witness = Witness()
            released = witness
            let observation = store.observe(prefix: "") { _ in withExtendedLifetime(witness) {} }
            withExtendedLifetime(observation) {}
        }
        #expect(released == nil)
    }

    @Test func cancelledEncryptedStoreObservationReceivesNoEvents() throws {
        let store = try EncryptedStore(base, key: exampleKey)
        let count = Mutex(0)
        let observation = store.observe(prefix: "") { _ in count.withLock { $0 += 1 } }
        try store.set(1, for: "k")
        observation.cancel()
        observation.cancel()
        try store.set(2, for: "k")
        #expect(count.withLock(\.self) == 1)
        try expectIntact(store)
    }

    // MARK: - Validation

    @Test(arguments: [false, true])
    func validateThrowsSameErrorAsCommit(hidesNames: Bool) throws {
        let view = PrefixedStore(base, prefix: "vault.")
        let store = try EncryptedStore(view, key: exampleKey, options: .init(hidesNames: hidesNames))
        let long = String(repeating: "x", count: StoreKey.maximumLength - 1)
        for key in ["k", long, "\u{1}" + long, "\u{1}" + long.dropFirst(6), long + "xx", "\u{0}larder"] {
            func code(_ body: () throws -> Void) -> StoreError.Code? {
                do { try body() } catch { return (error as? StoreError)?.code }
                return nil
            }
            #expect(code { try store.validate(1, for: StoreKey(key)) } == code { try store.set(1, for: key) })
        }
        expectCode(.unsupportedValue) { try store.validate(.null, for: "k") }
        expectCode(.unsupportedValue) { try store.set(.null, for: "k") }
        try expectIntact(store)
    }

    @Test func migrationToEncryptedStoreReportsOversizedKey() throws {
        let source = MemoryStore()
        let long = String(repeating: "x", count: StoreKey.maximumLength - 1)
        try source.set(1, for: "k")
        try source.set(2, for: long)
        let store = try EncryptedStore(PrefixedStore(base, prefix: "vault."), key: exampleKey)
        var migration = StoreMigration("m", from: source)
        migration.completeness = .possible
        let report = try migration.run(into: store)
        #expect(report.transfer.copied == ["k"] && report.transfer.refused.map(\.key) == [long])
        #expect(try store.entries() == [StoreEntry(key: "k", value: 1)])
        try expectIntact(store)
    }
}
#endif
