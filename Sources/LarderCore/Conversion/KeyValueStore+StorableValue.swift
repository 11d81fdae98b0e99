// Typed reads and writes. The path without a conversion is `@inlinable`, so it costs no more than `get` and `set`. Conversions call
// `StoredValue.read(as:under:policy:reportingTo:)`.
extension KeyValueStore {
    /// Returns the value under `key`, converted to `type`, or `nil` if there is no value.
    ///
    /// If the conversion loses information, as when 2.7 is read as 2, a ``LarderIssue`` with code `lossyConversion` is also reported.
    ///
    /// - Parameters:
    ///   - type: The type to read.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - policy: The policy that determines which conversions are allowed.
    /// - Returns: The converted value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` if the stored value cannot be converted; ``StoreError`` if the
    ///   store cannot be read, with code `damaged` if the stored value is corrupt.
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

    /// Returns the value under `key`, converted to `type`, or `nil` if there is no value.
    ///
    /// This method behaves like ``value(_:for:policy:)-(_,StoreKey,_)``.
    ///
    /// - Parameters:
    ///   - type: The type to read.
    ///   - key: The full key.
    ///   - policy: The policy that determines which conversions are allowed.
    /// - Returns: The converted value, or `nil` if there is no value under `key`.
    /// - Throws: ``CoreError/NotFound`` with the reason `notConvertible` if the stored value cannot be converted; ``StoreError`` if the
    ///   store cannot be read, with code `damaged` if the stored value is corrupt.
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

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any existing value.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the write fails, in which case the existing value is kept.
    @inlinable
    public func set(_ value: some StorableValue, for key: StoreKey) throws { try set(value.storedValue, for: key) }

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any existing value.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - key: The full key.
    /// - Throws: ``StoreError`` if the write fails, in which case the existing value is kept.
    @inlinable
    public func set(_ value: some StorableValue, for key: String) throws { try set(value.storedValue, for: key) }
}

extension StoredValue {
    /// Converts this value to `type`.
    ///
    /// - Parameters:
    ///   - type: The type to read.
    ///   - key: The key to include in the error and in the issue.
    ///   - policy: The policy that determines which conversions are allowed.
    ///   - issues: The channel that receives an issue if the conversion is lossy.
    /// - Returns: The converted value.
    /// - Throws: ``CoreError/NotFound`` if this value cannot be converted.
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
                    "The \(kind.rawValue) \(self) under \(key) lost information when it was converted to \(Value.self). Read it as \(kind.rawValue).",
                    key: key.text
                )
            )
        }
        return conversion.value
    }
}

extension StoredValue: StorableValue {
    /// This value, unchanged.
    @inlinable public var storedValue: StoredValue { self }

    /// Returns the stored value unchanged, regardless of the policy.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<StoredValue>? {
        Conversion(stored)
    }

    /// Returns the stored value unchanged.
    @inlinable
    public static func unconverted(_ stored: StoredValue) -> StoredValue? { stored }
}
