import DeviceStoreProofs
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

@Suite struct ContractTests {
    static func memory() -> KeyValueStoreContract {
        KeyValueStoreContract { MemoryStore() }.sized(operationsOfEachThread: ProofVolume.of(10_000))
    }

    static func propertyList(
        _ encoding: PropertyListStore.Encoding,
        view: String? = nil
    ) -> KeyValueStoreContract {
        KeyValueStoreContract(
            place: { try TemporaryDirectory() },
            open: { folder in
                let store = try PropertyListStore(path: folder.path("s.plist"), encoding: encoding)
                return if let view { PrefixedStore(store, prefix: view) } else { store }
            }
        )
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func memoryStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await Self.memory().run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func prefixedMemoryStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract { PrefixedStore(MemoryStore(), prefix: "vue.e\u{301}.") }
            .sized(operationsOfEachThread: ProofVolume.of(10_000))
            .run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func propertyListStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await Self.propertyList(.xml).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func binaryPropertyListStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await Self.propertyList(.binary).run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func prefixedPropertyListStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await Self.propertyList(.xml, view: "view.").run(check)
    }

    @Test(arguments: KeyValueStoreContract.Check.allCases)
    func sharedPreferencesStoreFulfillsContract(check: KeyValueStoreContract.Check) async throws {
        try await KeyValueStoreContract(
            place: { try TemporaryDirectory() },
            open: { folder in try SharedPreferencesStore(path: folder.path("s.xml")) }
        ).run(check)
    }

    @Test func runPerformsAllStoreContractChecks() async throws {
        try await KeyValueStoreContract { PrefixedStore(PrefixedStore(MemoryStore(), prefix: "a."), prefix: "b.") }
            .sized(operationsOfEachThread: ProofVolume.of(10_000))
            .run()
    }

    @Test(arguments: [(Int.min, 100), (0, 100), (500, 500)])
    func contractOperationCountIsRaisedToMinimum(asked: Int, done: Int) async throws {
        let store = MemoryStore()
        try await KeyValueStoreContract { store }.sized(operationsOfEachThread: asked).run(.concurrentWriters)
        let values = store.entries(prefix: "thread.0.").map(\.value)
        #expect(values.contains(.int(Int64(done - 1))) && !values.contains(.int(Int64(done))))
    }

    @Test func contractCheckReportsLostCommits() async throws {
        let violation = await #expect(throws: ContractViolation.self) {
            try await KeyValueStoreContract { ForgetfulStore() }.run()
        }
        #expect(violation?.check == .valuesAreReadBackExactly)
        #expect(violation?.description.contains("should be") == true)
    }

    @Test(
        arguments: [
            .randomValuesAreReadBackExactly, .overwritingAndRemoving, .keysAreBytes, .listingIsExactAndSorted,
            .pagesAreExactAndSorted, .comparingAndSetting,
            .transactions, .transactionsFailAfterTooManyConflicts, .typedValues, .changesArriveInOrder,
            .slowReadersReceiveMissedCount, .observersMayWrite, .flushing,
            .concurrentWriters,
        ] as [KeyValueStoreContract.Check]
    )
    func everyContractCheckDetectsLostCommits(check: KeyValueStoreContract.Check) async {
        await #expect(throws: ContractViolation.self) {
            try await KeyValueStoreContract { ForgetfulStore() }.run(check)
        }
    }
}

extension ContractTests {
    @Test(arguments: PagingStoreWithFault.Fault.allCases)
    func contractDetectsWrongPages(fault: PagingStoreWithFault.Fault) async throws {
        let contract = KeyValueStoreContract { PagingStoreWithFault(base: MemoryStore(), fault: fault) }
        let violation = await #expect(throws: ContractViolation.self) {
            try await contract.run(.pagesAreExactAndSorted)
        }
        #expect(violation?.check == .pagesAreExactAndSorted)
        // The other checks don't read pages.
        try await contract.run(.listingIsExactAndSorted)
    }
}

/// A store with a fault in its pages.
struct PagingStoreWithFault: ForwardingStore {
    enum Fault: CaseIterable {
        case repeatsLastKey, omitsKeyAfterRemovedKey, ignoresPrefix, endsEarly, exceedsLimit
    }

    let base: any KeyValueStore
    let fault: Fault

    func entries(after key: String?, prefix: String, limit: Int) throws -> [StoreEntry] {
        let rest = try base.entries(prefix: fault == .ignoresPrefix ? "" : prefix).drop { entry in
            guard let key else { return false }
            return fault == .repeatsLastKey
                ? entry.key.utf8.lexicographicallyPrecedes(key.utf8)
                : !key.utf8.lexicographicallyPrecedes(entry.key.utf8)
        }
        let isMissing = try key.map { try base.get($0) == nil } ?? false
        let page = fault == .omitsKeyAfterRemovedKey && isMissing ? rest.dropFirst() : rest
        switch fault {
        case .endsEarly: return Array(page.prefix(limit > 3 ? limit - 3 : limit))
        case .exceedsLimit: return Array(page.prefix(limit + 1))
        default: return Array(page.prefix(max(0, limit)))
        }
    }
}

/// A faulty store that accepts every commit but stores nothing.
private struct ForgetfulStore: KeyValueStore {
    let capabilities = StoreCapabilities()
    let issues = IssueChannel(label: "test.forgetful")
    let hub = StoreChangeHub()
    var inspectionName: String { "forgetful" }
    var inspectionKind: String { "test" }
    var revision: UInt64 { 0 }
    func get(_ key: StoreKey) -> StoredValue? { nil }
    func entries(prefix: String) -> [StoreEntry] { [] }
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { true }
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool { true }
    func commit(_ batch: StoreBatch) throws -> Bool { true }
    func flush() throws {}
    func flush() async throws {}
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        // Finished at once, so that readers do not wait forever.
        defer { hub.finish() }
        return hub.changes(prefix: prefix, buffering: buffering)
    }
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        StoreObservation {}
    }
    func verify() -> StoreVerification { StoreVerification(checkedEntries: 0) }
}
