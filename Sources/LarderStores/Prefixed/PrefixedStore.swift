public import LarderCore

/// A view of all entries in another store whose keys begin with a prefix.
///
/// The view adds the prefix to keys that it passes to the base store, and removes the prefix from keys that the base store returns. The
/// view has the capabilities, durability, issues and revision of the base store, and `verify()` checks the whole base store. A key and the
/// prefix together can have at most `StoreKey.maximumLength` bytes.
public struct PrefixedStore: KeyValueStore {
    /// The base store, which holds the entries of this view.
    public let base: any KeyValueStore
    /// The prefix of this view's keys in the base store, including a separator if there is one.
    public let prefix: String

    /// Creates a view of `base`.
    ///
    /// - Parameters:
    ///   - base: The store whose entries the view contains.
    ///   - prefix: The string to add to every key. No separator is inserted.
    public init(_ base: any KeyValueStore, prefix: String) {
        self.base = base
        self.prefix = prefix
    }

    /// The capabilities of the base store.
    public var capabilities: StoreCapabilities {
        var capabilities = base.capabilities
        if var limits = capabilities.limits {
            limits.keyLength -= prefix.utf8.count
            limits.allowsEmptyKeys = limits.allowsEmptyKeys || !prefix.isEmpty
            capabilities.limits = limits
        }
        return capabilities
    }
    /// The issue channel of the base store.
    public var issues: IssueChannel { base.issues }
    /// The name of the base store, followed by the prefix in quotation marks.
    public var inspectionName: String { "\(base.inspectionName) \(prefix.debugDescription)" }
    /// The kind of the base store for inspection tools.
    public var inspectionKind: String { base.inspectionKind }
    /// The revision of the base store, which also changes when a value outside the prefix changes.
    public var revision: UInt64 { get throws { try base.revision } }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: The key without the prefix.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value for `key`.
    /// - Throws: `StoreError` if the base store cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try base.get(baseKey(key)) }

    /// Returns all entries whose key, without the view's prefix, begins with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The prefix of the keys to return. The empty string matches all keys of the view.
    /// - Returns: The entries, sorted by key bytes. Their keys don't include the view's prefix.
    /// - Throws: `StoreError` if the base store cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] {
        let viewKey = viewKey
        return try base.entries(prefix: self.prefix + prefix).map { StoreEntry(key: viewKey($0.key), value: $0.value) }
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameters:
    ///   - batch: The expectations and writes, whose keys don't include the prefix.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    @available(
        *,
        noasync,
        message:
            "This call may block the current thread on disk I/O. Use `try await commit(_:durability:)`. At top level, call it in a function."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try base.commit(baseBatch(batch), durability: durability)
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// Suspends the current task during disk I/O.
    ///
    /// - Parameters:
    ///   - batch: The expectations and writes, whose keys don't include the prefix.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await base.commit(baseBatch(batch), durability: durability)
    }

    /// Commits all writes of `batch` atomically if its expectations hold.
    ///
    /// - Parameter batch: The expectations and writes, whose keys don't include the prefix.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit changes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool { try base.commit(baseBatch(batch)) }

    /// Checks that the base store can hold `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: The value to check.
    ///   - key: The key without the prefix.
    /// - Throws: The `StoreError` that a commit of `value` under `key` would throw.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try base.validate(value, for: baseKey(key))
    }

    /// Makes all earlier commits of the base store durable.
    ///
    /// Blocks the current thread on disk I/O.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    @available(
        *,
        noasync,
        message:
            "This call blocks the current thread on disk I/O. Use `try await flush()`. At top level, call it in a function."
    )
    public func flush() throws { try base.flush() }

    /// Makes all earlier commits of the base store durable.
    ///
    /// Suspends the current task during disk I/O.
    ///
    /// - Throws: `StoreError` if the commits could not be synced to disk.
    public func flush() async throws { try await base.flush() }

    /// Returns a sequence of the changes that subsequent commits make to the view, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, without the view's own prefix, compared bytewise. An empty string matches all keys of
    ///     the view.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence of changes for one reader. The keys in these changes don't include the view's prefix.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        base.changes(prefix: self.prefix + prefix, buffering: buffering).mappingKeys(viewKey)
    }

    /// Calls `handler` after each subsequent commit that changes the view.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, without the view's own prefix, compared bytewise. An empty string matches all keys of
    ///     the view.
    ///   - handler: A closure that receives one event per commit, whose keys don't include the view's prefix.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        base.observe(prefix: self.prefix + prefix) { [viewKey] in handler($0.mappingKeys(viewKey)) }
    }

    /// Checks the whole base store, including keys outside the prefix.
    ///
    /// - Returns: The result of the check. Keys in the result include the prefix.
    /// - Throws: `StoreError` if the check could not be carried out.
    public func verify() throws -> StoreVerification { try base.verify() }

    // MARK: - Keys

    /// Returns the key in the base store for `key` in the view.
    ///
    /// A reserved key in the base store contains the length of the view's prefix, so that reserved keys of views with the prefixes "a" and
    /// "ab" differ.
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

    /// A function that converts keys of the base store to keys of the view, without retaining the base store.
    var viewKey: @Sendable (_ baseKey: String) -> String {
        let prefixLength = prefix.utf8.count
        return { String(decoding: $0.utf8.dropFirst(prefixLength), as: UTF8.self) }
    }
}
