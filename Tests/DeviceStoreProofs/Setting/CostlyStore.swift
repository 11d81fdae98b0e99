package import LarderCore

extension ProofVolume {
    /// `store` as the contract's checks shall see it.
    ///
    /// Where there is to be little of each proof, it says that each write costs much: their threads do 200 operations each then
    /// instead of 10,000.
    package static func sized(_ store: any KeyValueStore) -> any KeyValueStore {
        isSmall ? CostlyStore(base: store) : store
    }
}

/// A store that passes everything on to another one, and says that each write costs as much as the whole store.
private struct CostlyStore: KeyValueStore {
    let base: any KeyValueStore

    var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        capabilities.writeCost = .wholeStore
        return capabilities
    }
    var issues: IssueChannel { base.issues }
    var inspectionName: String { base.inspectionName }
    var inspectionKind: String { base.inspectionKind }
    var revision: UInt64 { get throws { try base.revision } }

    func get(_ key: StoreKey) throws -> StoredValue? { try base.get(key) }
    func get(_ key: String) throws -> StoredValue? { try base.get(key) }
    func set(_ value: StoredValue, for key: StoreKey) throws { try base.set(value, for: key) }
    func remove(_ key: StoreKey) throws { try base.remove(key) }
    func validate(_ value: StoredValue, for key: StoreKey) throws { try base.validate(value, for: key) }
    func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }
    @available(*, noasync)
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(batch, durability: durability)
    }
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(batch, durability: durability)
    }
    func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(batch) }
    @available(*, noasync)
    func flush() throws { try base.flush() }
    func flush() async throws { try await base.flush() }
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: prefix, buffering: buffering)
    }
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: prefix, handler)
    }
    func verify() throws -> StoreVerification { try base.verify() }
}
