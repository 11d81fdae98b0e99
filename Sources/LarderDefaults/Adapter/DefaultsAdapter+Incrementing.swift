extension DefaultsAdapter {
    /// Adds to the number under a key; no increment is lost, whether threads, tasks or processes make them.
    ///
    /// It begins with what is stored or registered, or the key's default; layers take no part.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - amount: What to add, which may be negative.
    /// - Returns: The new number, as the key's validation left it.
    /// - Throws: ``DefaultsError`` with code `overflow` when the sum does not fit the type, and whatever
    ///   ``modify(_:_:)-(DefaultsKey<Value>,_)`` throws. Then nothing was changed.
    @discardableResult
    public func increment<Value>(_ key: DefaultsKey<Value>, by amount: Value.T = 1) throws -> Value.T
    where Value.T: FixedWidthInteger {
        try replace(key) { number in
            let (sum, isOverflow) = number.addingReportingOverflow(amount)
            guard !isOverflow else { throw DefaultsError.overflow(key._key, Value.T.self) }
            return sum
        }
    }

    /// Adds to the number under a key of the key store; no increment is lost, whether threads, tasks or processes make them.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - amount: What to add, which may be negative.
    /// - Returns: The new number, as the key's validation left it.
    /// - Throws: ``DefaultsError`` with code `overflow` when the sum does not fit the type, and whatever
    ///   ``modify(_:_:)-(DefaultsKey<Value>,_)`` throws. Then nothing was changed.
    @discardableResult
    public func increment<Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        by amount: Value.T = 1
    ) throws
        -> Value.T
    where Value.T: FixedWidthInteger {
        try increment(keyStore[keyPath: keyPath], by: amount)
    }

    /// Adds to the number under a key; no increment is lost, whether threads, tasks or processes make them.
    ///
    /// It begins with what is stored or registered, or the key's default; layers take no part.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - amount: What to add, which may be negative.
    /// - Returns: The new number, as the key's validation left it.
    /// - Throws: Whatever ``modify(_:_:)-(DefaultsKey<Value>,_)`` throws. Then nothing was changed.
    @discardableResult
    public func increment<Value>(_ key: DefaultsKey<Value>, by amount: Value.T = 1) throws -> Value.T
    where Value.T: BinaryFloatingPoint {
        try replace(key) { $0 + amount }
    }

    /// Adds to the number under a key of the key store; no increment is lost, whether threads, tasks or processes make them.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - amount: What to add, which may be negative.
    /// - Returns: The new number, as the key's validation left it.
    /// - Throws: Whatever ``modify(_:_:)-(DefaultsKey<Value>,_)`` throws. Then nothing was changed.
    @discardableResult
    public func increment<Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        by amount: Value.T = 1
    ) throws
        -> Value.T
    where Value.T: BinaryFloatingPoint {
        try increment(keyStore[keyPath: keyPath], by: amount)
    }

    /// Makes another value of the one under a key.
    ///
    /// - Returns: What is read afterwards.
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
