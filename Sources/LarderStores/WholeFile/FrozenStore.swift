package import LarderCore

/// The entries of a store in a single file at one moment, which are kept in memory and never change.
///
/// Inspection tools use it to display a file that must not be touched.
package final class FrozenStore: KeyValueStore {
    package let capabilities: StoreCapabilities
    package let issues: IssueChannel
    package let inspectionName: String
    package let inspectionKind: String
    private let table: StoreTable
    private let facts: [InspectionFact]
    private let hub = StoreChangeHub()

    /// Reads all entries of `store`, including those with reserved keys.
    ///
    /// - Throws: `StoreError` if the file can't be read.
    package init(_ store: WholeFileStore) throws {
        capabilities = store.capabilities
        issues = store.issues
        inspectionName = store.inspectionName
        inspectionKind = store.inspectionKind
        table = try store.file.table()
        facts = try store.inspectionFacts() + [InspectionFact("opened", "read-only, as it was at one moment")]
    }

    deinit { hub.finish() }

    package var revision: UInt64 { 0 }

    package func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return table[key]
    }

    package func entries(prefix: String) -> [StoreEntry] { table.entries(prefix: prefix) }

    @available(*, noasync, message: "The store is read-only.")
    package func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool { try commit(batch) }

    package func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool { try commit(batch) }

    package func commit(_ batch: StoreBatch) throws -> Bool {
        throw StoreError(
            .readOnly,
            "The store \(inspectionName.debugDescription) was opened read-only. Open it without that option to change it.",
            path: inspectionName
        )
    }

    @available(*, noasync, message: "The store is read-only.")
    package func flush() throws {}

    package func flush() async throws {}

    package func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        hub.changes(prefix: prefix, buffering: buffering)
    }

    package func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        hub.observe(prefix: prefix, handler)
    }

    package func verify() -> StoreVerification { table.verification() }

    package func inspectionFacts() -> [InspectionFact] { facts }

    /// No observation, because nothing changes.
    package func observeForInspection(
        _ receive: @escaping @Sendable (InspectionEvent) -> Void
    ) -> StoreObservation? { nil }
}

extension FrozenStore: PagingStore {
    package func page(_ request: EntryPageRequest) -> EntryPage { table.page(request) }
}
