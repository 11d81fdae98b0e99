// Operations that every store has, built on the requirements of KeyValueStore.
extension KeyValueStore {
    /// Checks that a key is neither too long nor reserved, and that a value can be stored under a key.
    ///
    /// All stores make these checks.
    ///
    /// - Parameters:
    ///   - value: The value to be written.
    ///   - key: The key under which to write the value.
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue`.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
    }

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any existing value.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`. Nulls are valid only inside arrays and dictionaries.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the write fails, in which case the existing value is kept.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try commit(batch)
    }

    /// Removes the value under `key`.
    ///
    /// Removing a missing key has no effect.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the removal fails, in which case the value is kept.
    public func remove(_ key: StoreKey) throws {
        var batch = StoreBatch()
        batch.remove(key)
        _ = try commit(batch)
    }

    /// Returns whether there is a value under `key`.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: `true` if the store has a value under `key`.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func contains(_ key: StoreKey) throws -> Bool { try get(key) != nil }

    /// Returns the keys that begin with exactly the bytes of `prefix`, sorted bytewise.
    ///
    /// - Parameter prefix: The prefix of the keys to list. An empty string lists all keys.
    /// - Returns: The full keys, including the prefix.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func keys(prefix: String = "") throws -> [String] { try entries(prefix: prefix).map(\.key) }

    /// Returns the number of keys that begin with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The prefix of the keys to count. An empty string counts all keys.
    /// - Returns: The number of keys.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func count(prefix: String = "") throws -> Int { try entries(prefix: prefix).count }

    /// Returns all entries, sorted by key.
    ///
    /// - Returns: A consistent snapshot of the entries.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func entries() throws -> [StoreEntry] { try entries(prefix: "") }

    /// Returns a sequence of the commits that are made after this call and change keys that begin with `prefix`, in commit order.
    ///
    /// - Parameter prefix: The prefix of the keys to observe. An empty string matches all keys.
    /// - Returns: A sequence that buffers up to 1,024 unread commits; see ``StoreChangeBuffering``.
    public func changes(prefix: String = "") -> StoreChanges { changes(prefix: prefix, buffering: .all()) }

    /// Atomically writes `new` under `key` if the current value is `expected`.
    ///
    /// - Parameters:
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - expected: The expected current value, or `nil` if the key must be absent.
    ///   - new: The value to write, or `nil` to remove the key.
    /// - Returns: `true` if the write was made, or `false` if the current value differs from `expected`.
    /// - Throws: ``StoreError`` if the write fails. A failed write changes nothing.
    public func compareAndSet(_ key: StoreKey, expecting expected: StoredValue?, to new: StoredValue?) throws -> Bool {
        var batch = StoreBatch()
        batch.expect(expected, at: key)
        batch.write(new, for: key)
        return try commit(batch)
    }
}

// MARK: - Strings as keys

extension KeyValueStore {
    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// This method behaves like the overload that takes a ``StoreKey``.
    ///
    /// - Parameter key: The full key.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value under `key`.
    /// - Throws: ``StoreError`` if the store cannot be read.
    @inlinable
    public func get(_ key: String) throws -> StoredValue? { try get(StoreKey(key)) }

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any existing value.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`. Nulls are valid only inside arrays and dictionaries.
    ///   - key: The full key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the write fails, in which case the existing value is kept.
    @inlinable
    public func set(_ value: StoredValue, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Removes the value under `key`.
    ///
    /// This method behaves like ``remove(_:)-(StoreKey)``.
    ///
    /// - Parameter key: The full key.
    /// - Throws: ``StoreError`` if the removal fails, in which case the value is kept.
    public func remove(_ key: String) throws { try remove(StoreKey(key)) }

    /// Returns whether there is a value under `key`.
    ///
    /// - Parameter key: The full key.
    /// - Returns: `true` if the store has a value under `key`.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func contains(_ key: String) throws -> Bool { try contains(StoreKey(key)) }
}
