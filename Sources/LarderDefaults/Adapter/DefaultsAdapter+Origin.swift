public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    /// Returns the source of a key's value, whether or not the value can be decoded.
    func origin<Value>(of key: DefaultsKey<Value>) throws -> DefaultsOrigin {
        for name in [key._key] + (key.rules?.formerNames ?? []) {
            if let overlay = layered.overlay(StoreKey(name)) { return overlay.origin }
            if try store.contains(StoreKey(name)) { return .stored }
            if userDefaults.registeredValue(forKey: name) != nil { return .registered }
        }
        return .keyDefault
    }
}

extension DefaultsAdapter {
    /// Returns the source of a key's value, whether or not the value can be decoded.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: The first source that has a value: a layer, the store, the registered values, or the key's default.
    /// - Throws: The store's error if the store can't be read.
    public func origin<Value>(of key: DefaultsKey<Value>) throws -> DefaultsOrigin { try place.origin(of: key) }

    /// Returns the source of the value of the key at a key path, whether or not the value can be decoded.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    /// - Returns: The first source that has a value: a layer, the store, the registered values, or the key's default.
    /// - Throws: The store's error if the store can't be read.
    public func origin<Value>(of keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) throws -> DefaultsOrigin {
        try origin(of: keyStore[keyPath: keyPath])
    }

    /// Returns whether the value of a key equals its default, whether or not a value is stored.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: `true` if the current value equals the default.
    public func isDefaultValue<Value>(_ key: DefaultsKey<Value>) -> Bool where Value.T: Equatable {
        self[key: key] == key.defaultValue
    }

    /// Returns whether the value of the key at a key path equals the key's default, whether or not a value is stored.
    ///
    /// - Parameter keyPath: The path from the key store to the key.
    /// - Returns: `true` if the current value equals the default.
    public func isDefaultValue<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool
    where Value.T: Equatable {
        isDefaultValue(keyStore[keyPath: keyPath])
    }

    /// Registers the defaults of keys, so that code that does not use typed keys can read them from ``defaults``.
    ///
    /// Registered values last as long as this adapter, survive `removeAll`, and are omitted from listings. Nothing is written to the store.
    /// A default of `nil` is not registered.
    ///
    /// - Parameter keys: The keys to register.
    /// - Throws: ``DefaultsError`` with code `notEncodable` if a default can't be encoded, in which case nothing is registered.
    public func registerDefaults<each Value>(_ keys: repeat DefaultsKey<each Value>) throws {
        var values: StoredDictionary = [:]
        for key in repeat each keys {
            if let stored = try StoredForm(key).stored(key.defaultValue) { values[key._key] = stored }
        }
        place.userDefaults.register(values)
    }

    /// Registers the defaults of all keys that are stored properties of the key store.
    ///
    /// Computed properties can't be listed, so pass the keys that they return to ``registerDefaults(_:)``.
    ///
    /// - Throws: An error if a default can't be encoded, in which case nothing is registered.
    public func registerDefaults() throws {
        var values: StoredDictionary = [:]
        for key in declaredKeys {
            if let stored = try key.storedDefault() { values[key._key] = stored }
        }
        place.userDefaults.register(values)
    }

    /// Returns the undecodable values that were backed up when the key was overwritten.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: The stored values, oldest first.
    /// - Throws: The store's error if the store can't be read.
    public func undecodableValues<Value>(of key: DefaultsKey<Value>) throws -> [StoredValue] {
        try UndecodableValues.kept(of: StoreKey(key._key), in: store)
    }

    /// Deletes the values that ``undecodableValues(of:)`` returns.
    ///
    /// - Parameter key: The key whose undecodable values to delete.
    /// - Throws: The store's error if the store can't be written. A failed call deletes nothing.
    public func discardUndecodableValues<Value>(of key: DefaultsKey<Value>) throws {
        try UndecodableValues.discard(StoreKey(key._key), in: store)
    }
}
