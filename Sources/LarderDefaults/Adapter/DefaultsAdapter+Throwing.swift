import LarderCore

extension DefaultsAdapter {
    /// The value of a key, from a layer, the store, or what is registered; never the key's default.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value.
    /// - Throws: ``DefaultsError`` with code `absent`, `wrongType`, `undecodable`, `newerVersion` or `rejected`; the error of a
    ///   store that can't be read. What is stored stays as it is.
    public func read<Value>(_ key: DefaultsKey<Value>) throws -> Value.T { try place.read(key) }

    /// The value of a key of the key store, from a layer, the store, or what is registered; never the key's default.
    ///
    /// - Parameter keyPath: The key.
    /// - Returns: The value.
    /// - Throws: What ``read(_:)-(DefaultsKey<Value>)`` throws.
    public func read<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) throws -> Value.T {
        try read(keyStore[keyPath: keyPath])
    }

    /// Makes a value the one of a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value; `nil` removes what is stored.
    /// - Throws: ``DefaultsError`` with code `notEncodable`, `rejected` or `newerVersion`; the error of a store that can't be
    ///   written. Then the earlier value is still there.
    public func write<Value>(_ key: DefaultsKey<Value>, _ value: Value.T) throws {
        let place = place
        try place.exclusively([StoreKey(key._key)]) {
            place.written.insert(key._key, of: KeyStoreIdentity(KeyStore.self))
            try place.write(value, for: key)
        }
    }

    /// Makes a value the one of a key of the key store.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - value: The value; `nil` removes what is stored.
    /// - Throws: What ``write(_:_:)-(DefaultsKey<Value>,_)`` throws.
    public func write<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>, _ value: Value.T) throws {
        try write(keyStore[keyPath: keyPath], value)
    }

    /// Changes the value of a key in a transaction, which is atomic among processes too where the store is.
    ///
    /// It begins with what is stored or registered, or the key's default; layers take no part.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Changes the value. **It may run again** when another writer was faster, so it should have no other effects.
    /// - Returns: What `body` returned in its last run.
    /// - Throws: What `body` threw, or what ``read(_:)-(DefaultsKey<Value>)`` and ``write(_:_:)-(DefaultsKey<Value>,_)`` throw
    ///   except `absent`. Then nothing was changed; a value that can't be read is not overwritten.
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

    /// Changes the value of a key of the key store in a transaction, which is atomic among processes too where the store is.
    ///
    /// See ``modify(_:_:)-(DefaultsKey<Value>,_)``.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - body: Changes the value; it may run again.
    /// - Returns: What `body` returned in its last run.
    /// - Throws: What `body` threw, or why the value could not be read or written. Then nothing was changed.
    @discardableResult
    public func modify<Value, Result>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        _ body: (inout Value.T) throws -> Result
    ) throws -> Result {
        try modify(keyStore[keyPath: keyPath], body)
    }
}
