// Typed reads and writes. Inlinable where the value is of the type that was stored, so that they cost no more than `get` and `set`;
// what has to be converted goes to `StoredValue.read(as:under:policy:reportingTo:)`.
extension KeyValueStore {
    /// Returns the value under `key`, read as `type`, or `nil` when there is none.
    ///
    /// A conversion that loses something (2.7 read as 2) also reports a ``LarderIssue`` with code `lossyConversion`.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - policy: What may be read as what.
    /// - Returns: The value; `nil` only when nothing is stored under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` when a value of another kind is stored that does not convert;
    ///   ``StoreError`` when the store cannot be read, with code `damaged` when what is stored is corrupt.
    @inlinable
    public func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: StoreKey,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        guard let stored = try get(key) else { return nil }
        if let value = Value.unconverted(stored) { return value }
        return try stored.read(as: type, under: key, policy: policy, reportingTo: issues)
    }

    /// Returns the value under `key`, read as `type`, or `nil` when there is none.
    ///
    /// See ``value(_:for:policy:)-(_,StoreKey,_)``.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: The whole key.
    ///   - policy: What may be read as what.
    /// - Returns: The value; `nil` only when nothing is stored under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` when a value of another kind is stored that does not convert;
    ///   ``StoreError`` when the store cannot be read, with code `damaged` when what is stored is corrupt.
    @inlinable
    public func value<Value: StorableValue>(
        _ type: Value.Type = Value.self,
        for key: String,
        policy: ConversionPolicy = .documented
    ) throws -> Value? {
        guard let stored = try get(key) else { return nil }
        if let value = Value.unconverted(stored) { return value }
        return try stored.read(as: type, under: StoreKey(key), policy: policy, reportingTo: issues)
    }

    /// Writes `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    @inlinable
    public func set(_ value: some StorableValue, for key: StoreKey) throws { try set(value.storedValue, for: key) }

    /// Writes `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Any storable value.
    ///   - key: The whole key.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    @inlinable
    public func set(_ value: some StorableValue, for key: String) throws { try set(value.storedValue, for: key) }
}

extension StoredValue {
    /// Converts this value to `type`.
    ///
    /// - Parameters:
    ///   - type: The type to read as.
    ///   - key: Where this value is stored, for the error and the issue.
    ///   - policy: What may be read as what.
    ///   - issues: Receives an issue when the conversion loses something.
    /// - Returns: The converted value.
    /// - Throws: ``CoreError/NotFound`` when this value does not convert.
    @usableFromInline
    func read<Value: StorableValue>(
        as type: Value.Type,
        under key: StoreKey,
        policy: ConversionPolicy,
        reportingTo issues: IssueChannel
    ) throws -> Value {
        guard let conversion = Value.converted(from: self, policy: policy) else {
            throw CoreError.NotFound(.notConvertible(stored: kind, asked: "\(Value.self)"), key: key.text)
        }
        if conversion.isLossy {
            issues.report(
                LarderIssue(
                    .lossyConversion,
                    "The \(kind.rawValue) \(self) under \(key) was read as \(Value.self) and lost part of its value: read it as \(kind.rawValue).",
                    key: key.text
                )
            )
        }
        return conversion.value
    }
}

extension StoredValue: StorableValue {
    /// This value.
    @inlinable public var storedValue: StoredValue { self }

    /// Returns what is stored, under every policy.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<StoredValue>? {
        Conversion(stored)
    }

    /// Returns what is stored.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> StoredValue? { stored }
}
