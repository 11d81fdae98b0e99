// Overloads for Codable values. They are disfavored, so that a type that is also a StorableValue uses the overload for StorableValue.
extension KeyValueStore {
    /// Encodes `value` as JSON and writes it under `key` with ``Durability/buffered``, replacing any earlier value.
    ///
    /// The JSON is stored as data with sorted keys, so that equal values have equal bytes. Typed defaults store `Codable` values in the
    /// same way. If the dynamic type of the value is a ``StorableValue``, as may happen in generic code, the value is stored as that type
    /// instead.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError``, with code `unsupportedValue` if `value` is `nil` or cannot be encoded. If the write fails, the previous
    ///   value is kept.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: StoreKey) throws {
        try set(StoredValue(encoding: value, under: key), for: key)
    }

    /// Encodes `value` as JSON and writes it under `key` with ``Durability/buffered``, replacing any earlier value.
    ///
    /// This method behaves like the overload that takes a ``StoreKey``.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as its wrapped value.
    ///   - key: The full key.
    /// - Throws: ``StoreError``, with code `unsupportedValue` if `value` is `nil` or cannot be encoded. If the write fails, the previous
    ///   value is kept.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Decodes the JSON under `key` as `type`, or returns `nil` if there is no value.
    ///
    /// The JSON may be stored as data or as a string. If `type` is a ``StorableValue``, the value is read as that type instead.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: The decoded value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/DataSerialization`` if the stored value is not valid JSON for `type`; ``CoreError/NotFound`` with the reason
    ///   `notConvertible` if the stored value is neither data nor a string; ``StoreError`` if the store cannot be read.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: StoreKey) throws -> Value? {
        try get(key)?.decoded(as: type, under: key, reportingTo: issues)
    }

    /// Decodes the JSON under `key` as `type`, or returns `nil` if there is no value.
    ///
    /// This method behaves like the overload that takes a ``StoreKey``.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The full key.
    /// - Returns: The decoded value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/DataSerialization`` if the stored value is not valid JSON for `type`; ``CoreError/NotFound`` with the reason
    ///   `notConvertible` if the stored value is neither data nor a string; ``StoreError`` if the store cannot be read.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: String) throws -> Value? {
        try value(type, for: StoreKey(key))
    }
}
