// Typed reads and writes, and strings as keys.
extension StoreTransaction {
    /// Returns the value under `key`, this transaction's own writes included.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: The value, or `nil`.
    /// - Throws: ``StoreError``. Do not catch it: the transaction may be about to run again.
    public mutating func get(_ key: String) throws -> StoredValue? { try get(StoreKey(key)) }

    /// Writes `value` under `key` when the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key.
    /// - Throws: ``StoreError`` when the key or the value can never be stored.
    public mutating func set(_ value: StoredValue, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Removes the value under `key` when the transaction is committed.
    ///
    /// - Parameter key: The whole key. Removing a missing key has no effect.
    /// - Throws: ``StoreError`` when the key can never be stored.
    public mutating func remove(_ key: String) throws { try remove(StoreKey(key)) }

    /// Returns whether there is a value under `key`, this transaction's own writes included.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError``. Do not catch it: the transaction may be about to run again.
    public mutating func contains(_ key: StoreKey) throws -> Bool { try get(key) != nil }

    /// Returns whether there is a value under `key`, this transaction's own writes included.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError``. Do not catch it: the transaction may be about to run again.
    public mutating func contains(_ key: String) throws -> Bool { try get(key) != nil }
}

// MARK: - Storable values

extension StoreTransaction {
    /// Returns the value under `key`, read as `type`, or `nil` when there is none; this transaction's own writes included.
    ///
    /// A conversion that loses something (2.7 read as 2) also reports a ``LarderIssue`` with code `lossyConversion`.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - policy: What may be read as what.
    /// - Returns: The value; `nil` only when there is none under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` when a value is there that does not convert; ``StoreError``.
    ///   Do not catch the latter: the transaction may be about to run again.
    public mutating func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: StoreKey,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        guard let stored = try get(key) else { return nil }
        if let value = Value.unconverted(stored) { return value }
        return try stored.read(as: type, under: key, policy: policy, reportingTo: issues)
    }

    /// Returns the value under `key`, read as `type`, or `nil` when there is none; this transaction's own writes included.
    ///
    /// See ``value(_:for:policy:)-(_,StoreKey,_)``.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: The whole key.
    ///   - policy: What may be read as what.
    /// - Returns: The value; `nil` only when there is none under `key`.
    /// - Throws: As the form that takes a ``StoreKey``.
    public mutating func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: String,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        try value(type, for: StoreKey(key), policy: policy)
    }

    /// Writes `value` under `key` when the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` when the key or the value can never be stored.
    public mutating func set(_ value: some StorableValue, for key: StoreKey) throws {
        try set(value.storedValue, for: key)
    }

    /// Writes `value` under `key` when the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    /// - Throws: ``StoreError`` when the key or the value can never be stored.
    public mutating func set(_ value: some StorableValue, for key: String) throws {
        try set(value.storedValue, for: StoreKey(key))
    }
}

// MARK: - Codable values

extension StoreTransaction {
    /// Encodes `value` as JSON and writes it under `key` when the transaction is committed.
    ///
    /// Stores what `set(_:for:)` of a ``KeyValueStore`` does.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as the value in it.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``, with code `unsupportedValue` when `value` is `nil` or cannot be encoded.
    @_disfavoredOverload
    public mutating func set(_ value: some Encodable, for key: StoreKey) throws {
        try set(StoredValue(encoding: value, under: key), for: key)
    }

    /// Encodes `value` as JSON and writes it under `key` when the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as the value in it.
    ///   - key: The whole key.
    /// - Throws: ``StoreError``, with code `unsupportedValue` when `value` is `nil` or cannot be encoded.
    @_disfavoredOverload
    public mutating func set(_ value: some Encodable, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Decodes the JSON under `key` as `type`, or returns `nil` when nothing is there; this transaction's own writes included.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value; `nil` only when there is none under `key`.
    /// - Throws: ``CoreError/DataSerialization`` when what is there is not the JSON of such a value; ``CoreError/NotFound`` with the
    ///   reason `notConvertible` when it is neither data nor a string; ``StoreError``. Do not catch the last: the transaction may be
    ///   about to run again.
    @_disfavoredOverload
    public mutating func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: StoreKey) throws -> Value? {
        try get(key)?.decoded(as: type, under: key, reportingTo: issues)
    }

    /// Decodes the JSON under `key` as `type`, or returns `nil` when nothing is there; this transaction's own writes included.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The whole key.
    /// - Returns: The value; `nil` only when there is none under `key`.
    /// - Throws: As the form that takes a ``StoreKey``.
    @_disfavoredOverload
    public mutating func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: String) throws -> Value? {
        try value(type, for: StoreKey(key))
    }
}
