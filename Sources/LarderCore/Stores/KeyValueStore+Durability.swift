// Writes that wait for a chosen durability, each in a blocking and in a suspending form.
extension KeyValueStore {
    /// Writes `value` under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: ``StoreError`` if the write fails. The previous value is kept, unless the error says that the commit was made but could
    ///   not be synced to disk.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) throws {
        _ = try commit(.setting(value, for: key), durability: durability)
    }

    /// Writes `value` under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: ``StoreError`` if the write fails. The previous value is kept, unless the error says that the commit was made but could
    ///   not be synced to disk.
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) async throws {
        _ = try await commit(.setting(value, for: key), durability: durability)
    }

    /// Writes `value` under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: StoredValue, for key: String, durability: Durability) throws {
        try set(value, for: StoreKey(key), durability: durability)
    }

    /// Writes `value` under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    public func set(_ value: StoredValue, for key: String, durability: Durability) async throws {
        try await set(value, for: StoreKey(key), durability: durability)
    }
}

// MARK: - Typed values

extension KeyValueStore {
    /// Writes `value` under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: ``StoreError`` if the write fails. The previous value is kept, unless the error says that the commit was made but could
    ///   not be synced to disk.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: some StorableValue, for key: StoreKey, durability: Durability) throws {
        try set(value.storedValue, for: key, durability: durability)
    }

    /// Writes `value` under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the blocking overload.
    public func set(_ value: some StorableValue, for key: StoreKey, durability: Durability) async throws {
        try await set(value.storedValue, for: key, durability: durability)
    }

    /// Writes `value` under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: some StorableValue, for key: String, durability: Durability) throws {
        try set(value.storedValue, for: StoreKey(key), durability: durability)
    }

    /// Writes `value` under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the blocking overload.
    public func set(_ value: some StorableValue, for key: String, durability: Durability) async throws {
        try await set(value.storedValue, for: StoreKey(key), durability: durability)
    }
}

// MARK: - Codable values

extension KeyValueStore {
    /// Encodes `value` as JSON, writes it under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: ``StoreError`` if the write fails, with code `unsupportedValue` if `value` cannot be encoded. The previous value is kept,
    ///   unless the error says that the commit was made but could not be synced to disk.
    @_disfavoredOverload
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: some Encodable, for key: StoreKey, durability: Durability) throws {
        try set(StoredValue(encoding: value, under: key), for: key, durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the blocking overload.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: StoreKey, durability: Durability) async throws {
        let stored = try StoredValue(encoding: value, under: key)
        try await set(stored, for: key, durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key` and blocks until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    @_disfavoredOverload
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await set(_:for:durability:)`. At top level, call it in a function."
    )
    public func set(_ value: some Encodable, for key: String, durability: Durability) throws {
        try set(value, for: StoreKey(key), durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key` and suspends until the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The full key.
    ///   - durability: The durability to wait for.
    /// - Throws: The same errors as the blocking overload.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: String, durability: Durability) async throws {
        let stored = try StoredValue(encoding: value, under: StoreKey(key))
        try await set(stored, for: StoreKey(key), durability: durability)
    }
}

extension StoreBatch {
    /// Returns a batch with a single write.
    static func setting(_ value: StoredValue, for key: StoreKey) -> StoreBatch {
        var batch = StoreBatch()
        batch.set(value, for: key)
        return batch
    }
}
