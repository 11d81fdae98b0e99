import LarderCore

/// A store whose layers override the values of an underlying store.
///
/// Writes go to the underlying store. Listings, observations and verification ignore the layers.
struct LayeredStore: TransparentStore {
    let base: any KeyValueStore
    let layers: [DefaultsLayer]

    var wrappedStore: any KeyValueStore { base }
    var capabilities: StoreCapabilities { base.capabilities }
    var issues: IssueChannel { base.issues }
    var revision: UInt64 { get throws { try base.revision } }
    var inspectionName: String { base.inspectionName }
    var inspectionKind: String { base.inspectionKind }

    /// Returns the value of a key and its origin from the first layer that contains the key, or `nil` if no layer does.
    func overlay(_ key: StoreKey) -> (value: StoredValue, origin: DefaultsOrigin)? {
        for layer in layers {
            if let value = layer.value(key.text) { return (value, layer.origin) }
        }
        return nil
    }

    func get(_ key: StoreKey) throws -> StoredValue? {
        if !layers.isEmpty, let overlay = overlay(key) { return overlay.value }
        return try base.get(key)
    }

    func entries(prefix: String) throws -> [StoreEntry] { try base.entries(prefix: prefix) }

    /// Returns a copy of a batch without the expectations for keys that a layer overrides.
    ///
    /// Otherwise, a transaction that reads an overridden key would never be committed, because the underlying store does not contain the
    /// layer's value.
    private func withoutOverlaid(_ batch: StoreBatch) -> StoreBatch {
        var copy = StoreBatch()
        copy.origin = batch.origin
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key): if overlay(key) == nil { copy.expect(value, at: key) }
            case .entries(let entries, let prefix): copy.expect(entries, prefix: prefix)
            }
        }
        for write in batch.writes { copy.write(write.value, for: write.key) }
        return copy
    }

    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(withoutOverlaid(batch), durability: durability)
    }

    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(withoutOverlaid(batch), durability: durability)
    }

    func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(withoutOverlaid(batch)) }

    @available(
        *,
        noasync,
        message: "This call blocks on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
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
