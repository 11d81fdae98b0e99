// Inlinable where the value is of the type that was stored, so that it costs no more than `get`; what has to be converted, or is
// missing, goes to the functions below.
extension KeyValueStore {
    /// The value under `key`, read as `type`.
    ///
    /// A conversion that loses something (2.7 read as 2) also reports a ``LarderIssue`` with code `lossyConversion`.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - policy: What may be read as what.
    /// - Returns: The value.
    /// - Throws: ``CoreError/NotFound``, which says whether it was absent or not convertible; ``StoreError`` when the store
    ///   cannot be read.
    @inlinable
    public func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: StoreKey,
        policy: ConversionPolicy = .documented
    ) throws -> Value {
        let stored = try get(key)
        if let stored, let value = Value.unconverted(stored) { return value }
        return try converted(stored, under: key, policy: policy)
    }

    /// The value under `key`, read as `type`.
    ///
    /// See ``value(_:for:policy:)-(_,StoreKey,_)``.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: The whole key.
    ///   - policy: What may be read as what.
    /// - Returns: The value.
    /// - Throws: ``CoreError/NotFound``, which says whether it was absent or not convertible; ``StoreError`` when the store
    ///   cannot be read.
    @inlinable
    public func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: String,
        policy: ConversionPolicy = .documented
    ) throws -> Value {
        let stored = try get(key)
        if let stored, let value = Value.unconverted(stored) { return value }
        return try converted(stored, under: StoreKey(key), policy: policy)
    }

    @usableFromInline
    func converted<Value: StorableValue>(
        _ stored: StoredValue?,
        under key: StoreKey,
        policy: ConversionPolicy
    ) throws -> Value {
        guard let stored else { throw CoreError.NotFound(.absent, key: key.text) }
        guard let conversion = Value.converted(from: stored, policy: policy) else {
            throw CoreError.NotFound(.notConvertible(stored: stored.kind, asked: "\(Value.self)"), key: key.text)
        }
        if conversion.isLossy {
            issues.report(
                LarderIssue(
                    .lossyConversion,
                    "The \(stored.kind.rawValue) \(stored) under \(key) was read as \(Value.self) and lost part of its value: read it as \(stored.kind.rawValue).",
                    key: key.text
                )
            )
        }
        return conversion.value
    }

    /// Keeps `value` under `key`, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: some StorableValue, for key: StoreKey) throws { try set(value.storedValue, for: key) }
}
