// Writes that return when the commit has a chosen durability, each in a blocking and in a suspending form.
extension KeyValueStore {
    /// Writes `value` under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``. Then the earlier value is still there, unless the error says that the commit was made and that the
    ///   disk then did not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) throws {
        _ = try commit(.setting(value, for: key), durability: durability)
    }

    /// The suspending form of ``set(_:for:durability:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``. Then the earlier value is still there, unless the error says that the commit was made and that the
    ///   disk then did not confirm it.
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) async throws {
        _ = try await commit(.setting(value, for: key), durability: durability)
    }

    /// Writes `value` under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the form that takes a ``StoreKey``.
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: StoredValue, for key: String, durability: Durability) throws {
        try set(value, for: StoreKey(key), durability: durability)
    }

    /// Writes `value` under `key`, suspends, and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the form that takes a ``StoreKey``.
    public func set(_ value: StoredValue, for key: String, durability: Durability) async throws {
        try await set(value, for: StoreKey(key), durability: durability)
    }
}

// MARK: - Typed values

extension KeyValueStore {
    /// Writes `value` under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``. Then the earlier value is still there, unless the error says that the commit was made and that the
    ///   disk then did not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: some StorableValue, for key: StoreKey, durability: Durability) throws {
        try set(value.storedValue, for: key, durability: durability)
    }

    /// Writes `value` under `key`, suspends, and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the blocking form.
    public func set(_ value: some StorableValue, for key: StoreKey, durability: Durability) async throws {
        try await set(value.storedValue, for: key, durability: durability)
    }

    /// Writes `value` under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the form that takes a ``StoreKey``.
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: some StorableValue, for key: String, durability: Durability) throws {
        try set(value.storedValue, for: StoreKey(key), durability: durability)
    }

    /// Writes `value` under `key`, suspends, and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the blocking form.
    public func set(_ value: some StorableValue, for key: String, durability: Durability) async throws {
        try await set(value.storedValue, for: StoreKey(key), durability: durability)
    }
}

// MARK: - Codable values

extension KeyValueStore {
    /// Encodes `value` as JSON, writes it under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value; see `set(_:for:)`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, with code `unsupportedValue` when `value` cannot be encoded. Then the earlier value is still there,
    ///   unless the error says that the commit was made and that the disk then did not confirm it.
    @_disfavoredOverload
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: some Encodable, for key: StoreKey, durability: Durability) throws {
        try set(StoredValue(encoding: value, under: key), for: key, durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key`, suspends, and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value; see `set(_:for:)`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the blocking form.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: StoreKey, durability: Durability) async throws {
        let stored = try StoredValue(encoding: value, under: key)
        try await set(stored, for: key, durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key` and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value; see `set(_:for:)`.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the form that takes a ``StoreKey``.
    @_disfavoredOverload
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: some Encodable, for key: String, durability: Durability) throws {
        try set(value, for: StoreKey(key), durability: durability)
    }

    /// Encodes `value` as JSON, writes it under `key`, suspends, and returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value; see `set(_:for:)`.
    ///   - key: The whole key.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``, as the blocking form.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: String, durability: Durability) async throws {
        let stored = try StoredValue(encoding: value, under: StoreKey(key))
        try await set(stored, for: StoreKey(key), durability: durability)
    }
}

extension StoreBatch {
    /// A batch of one write.
    static func setting(_ value: StoredValue, for key: StoreKey) -> StoreBatch {
        var batch = StoreBatch()
        batch.set(value, for: key)
        return batch
    }
}
