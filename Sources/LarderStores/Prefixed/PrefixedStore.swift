public import LarderCore

/// The part of another store whose keys begin with a prefix, as a store of its own: the prefix is put before every key on the
/// way in and taken off on the way out.
///
/// Everything else is the base's: capabilities, durability, issues, revision, and what ``verify()`` checks (all of it). A key
/// may have ``StoreKey/maximumLength`` bytes together with the prefix.
public struct PrefixedStore: KeyValueStore {
    /// The store that holds everything.
    public let base: any KeyValueStore
    /// What stands before every key, the separating dot included if there is to be one.
    public let prefix: String

    /// A view of `base`.
    ///
    /// - Parameters:
    ///   - base: The store that holds everything.
    ///   - prefix: Put before every key as it is; nothing is inserted between them.
    public init(_ base: any KeyValueStore, prefix: String) {
        self.base = base
        self.prefix = prefix
    }

    /// The base's.
    public var capabilities: StoreCapabilities { base.capabilities }
    /// The base's.
    public var issues: IssueChannel { base.issues }
    /// The base's name with the prefix behind it.
    public var inspectionName: String { "\(base.inspectionName) \(prefix.debugDescription)" }
    /// The base's kind.
    public var inspectionKind: String { base.inspectionKind }
    /// The base's: it also changes when something outside the prefix does.
    public var revision: UInt64 { get throws { try base.revision } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Without the prefix.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the base cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(baseKey(key)) }

    /// The entries whose key, without the view's prefix, begins with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty text lists the whole view.
    /// - Returns: Sorted by key bytes, keys without the view's prefix.
    /// - Throws: ``StoreError`` when the base cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] {
        let viewKey = viewKey
        return try base.entries(prefix: self.prefix + prefix).map { StoreEntry(key: viewKey($0.key), value: $0.value) }
    }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameters:
    ///   - batch: Keys without the prefix.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(baseBatch(batch), durability: durability)
    }

    /// Carries out all writes of `batch`, or none, suspending while the disk works.
    ///
    /// - Parameters:
    ///   - batch: Keys without the prefix.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(baseBatch(batch), durability: durability)
    }

    /// Carries out all writes of `batch`, or none.
    ///
    /// - Parameter batch: Keys without the prefix.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(baseBatch(batch)) }

    /// Checks that the base would take `value`.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Without the prefix.
    /// - Throws: ``StoreError``, as a commit would.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try base.validate(value, for: baseKey(key))
    }

    /// Makes every commit of the base so far as durable as it can.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try base.flush() }

    /// The suspending form of ``flush()-(Void)``.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm.
    public func flush() async throws { try await base.flush() }

    /// The commits from now on that concern the view, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that, without the view's prefix, begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader, keys without the view's prefix.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: self.prefix + prefix, buffering: buffering).mappingKeys(viewKey)
    }

    /// Calls `handler` for every commit from now on that concerns the view.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that, without the view's prefix, begin with exactly these bytes.
    ///   - handler: Called with one event a commit, keys without the view's prefix.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: self.prefix + prefix) { [viewKey] in handler($0.mappingKeys(viewKey)) }
    }

    /// Checks the whole base.
    ///
    /// - Returns: What was checked, keys with the prefix.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    public func verify() throws -> StoreVerification { try base.verify() }

    // MARK: - Keys

    /// The base's key for a key of the view.
    ///
    /// Larder's own keys keep out of the prefix: each view has a room of its own in the reserved space of the base, and the
    /// length in front of the prefix keeps the rooms of "a" and "ab" apart.
    private func baseKey(_ key: StoreKey) throws -> StoreKey {
        try key.validate()
        guard key.isInternal else {
            return StoreKey(key.name, prefix: key.prefix.isEmpty ? prefix : prefix + key.prefix)
        }
        return StoreKey(reserved: "\(ReservedRecord.view.name)\(prefix.utf8.count):\(prefix)\(key.name)")
    }

    private func baseBatch(_ batch: StoreBatch) throws -> StoreBatch {
        var mapped = StoreBatch()
        mapped.origin = batch.origin
        for expectation in batch.expectations {
            switch expectation {
            case .value(let value, let key): mapped.expect(value, at: try baseKey(key))
            case .entries(let entries, let prefix):
                mapped.expect(
                    entries.map { StoreEntry(key: self.prefix + $0.key, value: $0.value) },
                    prefix: self.prefix + prefix
                )
            }
        }
        for write in batch.writes { mapped.write(write.value, for: try baseKey(write.key)) }
        return mapped
    }

    /// Makes the view's key of a key of the base; for those who observe, it does not hold the base.
    private var viewKey: @Sendable (_ baseKey: String) -> String {
        let prefixLength = prefix.utf8.count
        return { String(decoding: $0.utf8.dropFirst(prefixLength), as: UTF8.self) }
    }
}
