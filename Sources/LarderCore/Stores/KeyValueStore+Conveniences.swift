// What every store can do, built from the requirements of KeyValueStore.
extension KeyValueStore {
    /// Checks what every store does: the key's length and room, and that the value may stand at the top level.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue`.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
    }

    /// Writes `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`, which only stands inside arrays and dictionaries.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try commit(batch)
    }

    /// Removes the value under `key`.
    ///
    /// A missing key is no error.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the value is still there.
    public func remove(_ key: StoreKey) throws {
        var batch = StoreBatch()
        batch.remove(key)
        _ = try commit(batch)
    }

    /// Whether there is a value under `key`.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func contains(_ key: StoreKey) throws -> Bool { try get(key) != nil }

    /// The keys that begin with exactly the bytes of `prefix`, sorted by their bytes.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Whole keys, prefix included.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func keys(prefix: String = "") throws -> [String] { try entries(prefix: prefix).map(\.key) }

    /// How many keys begin with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty text counts everything.
    /// - Returns: Zero or more.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func count(prefix: String = "") throws -> Int { try entries(prefix: prefix).count }

    /// Every entry, sorted by key.
    ///
    /// - Returns: The entries at one moment.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func entries() throws -> [StoreEntry] { try entries(prefix: "") }

    /// The commits from now on, in commit order, of keys that begin with `prefix`.
    ///
    /// - Parameter prefix: The empty text means all.
    /// - Returns: A sequence that keeps up to 1,024 unread commits; see ``StoreChangeBuffering``.
    public func changes(prefix: String = "") -> StoreChanges { changes(prefix: prefix, buffering: .all()) }

    /// Writes `new` under `key` if the value there is `expected`, in one step that no other writer can come between.
    ///
    /// - Parameters:
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - expected: The value that must be there; `nil` for none.
    ///   - new: The value to write; `nil` to remove.
    /// - Returns: Whether it was written.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func compareAndSet(_ key: StoreKey, expecting expected: StoredValue?, to new: StoredValue?) throws -> Bool {
        var batch = StoreBatch()
        batch.expect(expected, at: key)
        batch.write(new, for: key)
        return try commit(batch)
    }
}

// MARK: - Strings as keys

extension KeyValueStore {
    /// The value under `key`, or `nil`.
    ///
    /// See `get(_:)` of a ``StoreKey``.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the store cannot be read.
    @inlinable
    public func get(_ key: String) throws -> StoredValue? { try get(StoreKey(key)) }

    /// Writes `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`, which only stands inside arrays and dictionaries.
    ///   - key: The whole key, checked as ``StoreKey/validate()`` does.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    @inlinable
    public func set(_ value: StoredValue, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Removes the value under `key`.
    ///
    /// See ``remove(_:)-(StoreKey)``.
    ///
    /// - Parameter key: The whole key.
    /// - Throws: ``StoreError``; then the value is still there.
    public func remove(_ key: String) throws { try remove(StoreKey(key)) }

    /// Whether there is a value under `key`.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func contains(_ key: String) throws -> Bool { try contains(StoreKey(key)) }
}
