extension DefaultsAdapter {
    /// Atomically adds an amount to the number stored under a key.
    ///
    /// The number is changed in a transaction, so no increment is lost to a concurrent thread, task or process. The amount is added to the
    /// stored value, or else to the registered value or the key's default. Layers are ignored.
    ///
    /// - Parameters:
    ///   - key: The key of the number.
    ///   - amount: The amount to add, which may be negative.
    /// - Returns: The new number as it was stored, after the key's validation has been applied.
    /// - Throws: ``DefaultsError`` with code `overflow` if the sum does not fit in the type, or an error thrown by
    ///   ``modify(_:_:)-(DefaultsKey<Value>,_)``. A failed call writes nothing.
    @discardableResult
    public func increment<Value>(_ key: DefaultsKey<Value>, by amount: Value.T = 1) throws -> Value.T
    where Value.T: FixedWidthInteger {
        try replace(key) { number in
            let (sum, isOverflow) = number.addingReportingOverflow(amount)
            guard !isOverflow else { throw DefaultsError.overflow(key._key, Value.T.self) }
            return sum
        }
    }

    /// Atomically adds an amount to the number stored under the key at a key path.
    ///
    /// No increment is lost to a concurrent thread, task or process.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - amount: The amount to add, which may be negative.
    /// - Returns: The new number as it was stored, after the key's validation has been applied.
    /// - Throws: ``DefaultsError`` with code `overflow` if the sum does not fit in the type, or an error thrown by
    ///   ``modify(_:_:)-(DefaultsKey<Value>,_)``. A failed call writes nothing.
    @discardableResult
    public func increment<Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        by amount: Value.T = 1
    ) throws
        -> Value.T
    where Value.T: FixedWidthInteger {
        try increment(keyStore[keyPath: keyPath], by: amount)
    }

    /// Atomically adds an amount to the number stored under a key.
    ///
    /// The number is changed in a transaction, so no increment is lost to a concurrent thread, task or process. The amount is added to the
    /// stored value, or else to the registered value or the key's default. Layers are ignored.
    ///
    /// - Parameters:
    ///   - key: The key of the number.
    ///   - amount: The amount to add, which may be negative.
    /// - Returns: The new number as it was stored, after the key's validation has been applied.
    /// - Throws: An error thrown by ``modify(_:_:)-(DefaultsKey<Value>,_)``. A failed call writes nothing.
    @discardableResult
    public func increment<Value>(_ key: DefaultsKey<Value>, by amount: Value.T = 1) throws -> Value.T
    where Value.T: BinaryFloatingPoint {
        try replace(key) { $0 + amount }
    }

    /// Atomically adds an amount to the number stored under the key at a key path.
    ///
    /// No increment is lost to a concurrent thread, task or process.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - amount: The amount to add, which may be negative.
    /// - Returns: The new number as it was stored, after the key's validation has been applied.
    /// - Throws: An error thrown by ``modify(_:_:)-(DefaultsKey<Value>,_)``. A failed call writes nothing.
    @discardableResult
    public func increment<Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        by amount: Value.T = 1
    ) throws
        -> Value.T
    where Value.T: BinaryFloatingPoint {
        try increment(keyStore[keyPath: keyPath], by: amount)
    }

    /// Replaces a key's value with the result of `new` in a transaction.
    ///
    /// - Returns: The new value of the key.
    private func replace<Value>(_ key: DefaultsKey<Value>, by new: (Value.T) throws -> Value.T) throws -> Value.T {
        try transaction { transaction in
            let value = transaction[key: key]
            try transaction.check()
            transaction[key: key] = try new(value)
            try transaction.check()
            return transaction[key: key]
        }
    }
}
