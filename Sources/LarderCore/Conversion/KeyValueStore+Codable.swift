// Codable values by the same names as storable ones. Disfavored, so that a type that is both is stored as what it is.
extension KeyValueStore {
    /// Encodes `value` as JSON and writes it under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// The JSON is stored as data, with sorted keys: equal values have equal bytes. The typed defaults store a `Codable` value in the
    /// same form. A value whose type turns out to be a ``StorableValue``, as may happen in generic code, is stored as that type is.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as the value in it.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``, with code `unsupportedValue` when `value` is `nil` or cannot be encoded; then the earlier value is
    ///   still there.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: StoreKey) throws {
        try set(StoredValue(encoding: value, under: key), for: key)
    }

    /// Encodes `value` as JSON and writes it under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// See the form that takes a ``StoreKey``.
    ///
    /// - Parameters:
    ///   - value: Any `Encodable` value. An optional is stored as the value in it.
    ///   - key: The whole key.
    /// - Throws: ``StoreError``, with code `unsupportedValue` when `value` is `nil` or cannot be encoded; then the earlier value is
    ///   still there.
    @_disfavoredOverload
    public func set(_ value: some Encodable, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Decodes the JSON under `key` as `type`, or returns `nil` when nothing is stored there.
    ///
    /// Reads JSON that is stored as data or as a string. A type that turns out to be a ``StorableValue`` is read as one.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value; `nil` only when nothing is stored under `key`.
    /// - Throws: ``CoreError/DataSerialization`` when what is stored is not the JSON of such a value; ``CoreError/NotFound`` with the
    ///   reason `notConvertible` when it is neither data nor a string; ``StoreError`` when the store cannot be read.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: StoreKey) throws -> Value? {
        try get(key)?.decoded(as: type, under: key, reportingTo: issues)
    }

    /// Decodes the JSON under `key` as `type`, or returns `nil` when nothing is stored there.
    ///
    /// See the form that takes a ``StoreKey``.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The whole key.
    /// - Returns: The value; `nil` only when nothing is stored under `key`.
    /// - Throws: ``CoreError/DataSerialization`` when what is stored is not the JSON of such a value; ``CoreError/NotFound`` with the
    ///   reason `notConvertible` when it is neither data nor a string; ``StoreError`` when the store cannot be read.
    @_disfavoredOverload
    public func value<Value: Decodable>(_ type: Value.Type = Value.self, for key: String) throws -> Value? {
        try value(type, for: StoreKey(key))
    }
}
