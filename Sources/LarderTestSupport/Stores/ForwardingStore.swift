package import LarderCore

/// A test store that forwards all unimplemented calls to another store.
package protocol ForwardingStore: KeyValueStore {
    /// The store that calls are forwarded to.
    var base: any KeyValueStore { get }
}

extension ForwardingStore {
    package var capabilities: StoreCapabilities { base.capabilities }
    package var issues: IssueChannel { base.issues }
    package var inspectionName: String { base.inspectionName }
    package var inspectionKind: String { base.inspectionKind }
    package var revision: UInt64 { get throws { try base.revision } }

    package func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }
    package func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }
    package func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(batch) }
    @available(*, noasync)
    package func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(batch, durability: durability)
    }
    package func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(batch, durability: durability)
    }
    @available(*, noasync)
    package func flush() throws { try base.flush() }
    package func flush() async throws { try await base.flush() }
    package func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }
    package func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }
    package func verify() throws -> StoreVerification { try base.verify() }
}
