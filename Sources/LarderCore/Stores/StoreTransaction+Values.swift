// Typed reads and writes, and strings as keys.
extension StoreTransaction {
    /// Returns the value under `key`, taking this transaction's own uncommitted writes into account.
    ///
    /// - Parameter key: The full key.
    /// - Returns: The value, or `nil` if there is no value.
    /// - Throws: ``StoreError`` if the read fails or conflicts. Don't catch the error: the transaction may have to be retried.
    public mutating func get(_ key: String) throws -> StoredValue? { try get(StoreKey(key)) }

    /// Adds a write of `value` under `key` to the transaction.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The full key.
    /// - Throws: ``StoreError`` if the key or the value is invalid.
    public mutating func set(_ value: StoredValue, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Adds the removal of the value under `key` to the transaction.
    ///
    /// - Parameter key: The full key. Removing a missing key has no effect.
    /// - Throws: ``StoreError`` if the key is invalid.
    public mutating func remove(_ key: String) throws { try remove(StoreKey(key)) }

    /// Returns whether there is a value under `key`, taking this transaction's own uncommitted writes into account.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: `true` if there is a value under `key`.
    /// - Throws: ``StoreError`` if the read fails or conflicts. Don't catch the error: the transaction may have to be retried.
    public mutating func contains(_ key: StoreKey) throws -> Bool { try get(key) != nil }

    /// Returns whether there is a value under `key`, taking this transaction's own uncommitted writes into account.
    ///
    /// - Parameter key: The full key.
    /// - Returns: `true` if there is a value under `key`.
    /// - Throws: ``StoreError`` if the read fails or conflicts. Don't catch the error: the transaction may have to be retried.
    public mutating func contains(_ key: String) throws -> Bool { try get(key) != nil }
}

// MARK: - Storable values

extension StoreTransaction {
    /// Returns the value under `key`, converted to `type`, or `nil` if there is no value.
    ///
    /// The read sees this transaction's own uncommitted writes.
    ///
    /// A lossy conversion, such as reading 2.7 as 2, also reports a ``LarderIssue`` with code `lossyConversion`.
    ///
    /// - Parameters:
    ///   - type: The type to read.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - policy: The policy that determines which conversions are allowed.
    /// - Returns: The value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` if the value does not convert; ``StoreError`` if the read fails or
    ///   conflicts. Don't catch a ``StoreError``: the transaction may have to be retried.
    public mutating func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: StoreKey,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        guard let stored = try get(key) else { return nil }
        if let value = Value.unconverted(stored) { return value }
        return try stored.read(as: type, under: key, policy: policy, reportingTo: issues)
    }

    /// Returns the value under `key`, converted to `type`, or `nil` if there is no value.
    ///
    /// The read sees this transaction's own uncommitted writes.
    ///
    /// This method behaves like ``value(_:for:policy:)-(_,StoreKey,_)``.
    ///
    /// - Parameters:
    ///   - type: The type to read.
    ///   - key: The full key.
    ///   - policy: The policy that determines which conversions are allowed.
    /// - Returns: The value, or `nil` if there is no value under `key`.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    public mutating func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: String,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        try value(type, for: StoreKey(key), policy: policy)
    }

    /// Adds a write of `value` under `key` to the transaction.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the key or the value is invalid.
    public mutating func set(_ value: some StorableValue, for key: StoreKey) throws {
        try set(value.storedValue, for: key)
    }

    /// Adds a write of `value` under `key` to the transaction.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    /// - Throws: ``StoreError`` if the key or the value is invalid.
    public mutating func set(_ value: some StorableValue, for key: String) throws {
        try set(value.storedValue, for: StoreKey(key))
    }
}

// MARK: - Codable values

extension StoreTransaction {
    /// Encodes `value` as JSON and adds a write of the result under `key` to the transaction.
    ///
    /// The stored bytes are the same as those written by `set(_:for:)` of ``KeyValueStore``.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError``, with code `unsupportedValue` if `value` is `nil` or cannot be encoded.
    @_disfavoredOverload
    public mutating func set(_ value: some Encodable, for key: StoreKey) throws {
        try set(StoredValue(encoding: value, under: key), for: key)
    }

    /// Encodes `value` as JSON and adds a write of the result under `key` to the transaction.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The full key.
    /// - Throws: ``StoreError``, with code `unsupportedValue` if `value` is `nil` or cannot be encoded.
    @_disfavoredOverload
    public mutating func set(_ value: some Encodable, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Decodes the JSON under `key` as `type`, or returns `nil` if there is no value.
    ///
    /// The read sees this transaction's own uncommitted writes.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: The value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/DataSerialization`` if the stored value is not valid JSON for `type`; ``CoreError/NotFound`` with the reason
    ///   `notConvertible` if the stored value is neither data nor a string; ``StoreError`` if the read fails or conflicts. Don't catch a
    ///   ``StoreError``: the transaction may have to be retried.
    @_disfavoredOverload
    public mutating func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: StoreKey) throws -> Value? {
        try get(key)?.decoded(as: type, under: key, reportingTo: issues)
    }

    /// Decodes the JSON under `key` as `type`, or returns `nil` if there is no value.
    ///
    /// The read sees this transaction's own uncommitted writes.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The full key.
    /// - Returns: The value, or `nil` if there is no value under `key`.
    /// - Throws: The same errors as the overload that takes a ``StoreKey``.
    @_disfavoredOverload
    public mutating func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: String) throws -> Value? {
        try value(type, for: StoreKey(key))
    }
}
