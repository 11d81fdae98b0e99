import LarderCore

extension DefaultsAdapter {
    /// Returns the value of a key from a layer, the store or the registered values, without falling back to the key's default.
    ///
    /// - Parameter key: The key to read.
    /// - Returns: The value, converted to the type of the key.
    /// - Throws: ``DefaultsError`` with code `absent`, `wrongType`, `undecodable`, `newerVersion` or `rejected`, or the store's error if
    ///   the store can't be read. The stored value is unchanged.
    public func read<Value>(_ key: DefaultsKey<Value>) throws -> Value.T { try place.read(key) }

    /// Returns the value of the key at a key path from a layer, the store or the registered values, without falling back to the key's
    /// default.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    /// - Returns: The value, converted to the type of the key.
    /// - Throws: An error thrown by ``read(_:)-(DefaultsKey<Value>)``.
    public func read<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) throws -> Value.T {
        try read(keyStore[keyPath: keyPath])
    }

    /// Writes a value under a key.
    ///
    /// - Parameters:
    ///   - key: The key to write.
    ///   - value: The new value, or `nil` to remove the stored value.
    /// - Throws: ``DefaultsError`` with code `notEncodable`, `rejected`, `newerVersion` or `nestedWrite`, or the store's error if the store
    ///   can't be written. A failed write keeps the previous value.
    public func write<Value>(_ key: DefaultsKey<Value>, _ value: Value.T) throws {
        let place = place
        try place.exclusively([StoreKey(key._key)]) {
            place.written.insert(StoreKey(key._key), of: identity)
            try place.write(value, for: key)
        }
    }

    /// Writes a value under the key at a key path.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - value: The new value, or `nil` to remove the stored value.
    /// - Throws: An error thrown by ``write(_:_:)-(DefaultsKey<Value>,_)``.
    public func write<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>, _ value: Value.T) throws {
        try write(keyStore[keyPath: keyPath], value)
    }

    /// Changes the value of a key in a transaction.
    ///
    /// The change is atomic across processes if the store's transactions are. `body` receives the stored value, or else the registered
    /// value or the key's default. Layers are ignored.
    ///
    /// - Parameters:
    ///   - key: The key whose value to change.
    ///   - body: A closure that changes the value. **The closure may run again** after a conflict with another writer, so it should have no
    ///     other side effects.
    /// - Returns: The result of the last run of `body`.
    /// - Throws: An error thrown by `body`, or an error thrown by ``read(_:)-(DefaultsKey<Value>)`` and
    ///   ``write(_:_:)-(DefaultsKey<Value>,_)`` except `absent`. A failed call writes nothing, and a value that can't be decoded is not
    ///   overwritten.
    @discardableResult
    public func modify<Value, Result>(
        _ key: DefaultsKey<Value>,
        _ body: (inout Value.T) throws -> Result
    ) throws -> Result {
        try transaction { transaction in
            var value = transaction[key: key]
            try transaction.check()
            let result = try body(&value)
            transaction[key: key] = value
            return result
        }
    }

    /// Changes the value of the key at a key path in a transaction.
    ///
    /// See ``modify(_:_:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - body: A closure that changes the value, which may run again after a conflict with another writer.
    /// - Returns: The result of the last run of `body`.
    /// - Throws: An error thrown by `body`, or the error for a value that can't be read or written. A failed call writes nothing.
    @discardableResult
    public func modify<Value, Result>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        _ body: (inout Value.T) throws -> Result
    ) throws -> Result {
        try modify(keyStore[keyPath: keyPath], body)
    }
}
