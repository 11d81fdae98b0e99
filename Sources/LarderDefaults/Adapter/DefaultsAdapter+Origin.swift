public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    /// Where the value of a key comes from, readable or not.
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
    /// Where the value of a key comes from, readable or not: a layer, the store, what is registered, or the key's default.
    ///
    /// - Parameter key: The key.
    /// - Returns: The first of these that has a value.
    /// - Throws: The error of a store that can't be read.
    public func origin<Value>(of key: DefaultsKey<Value>) throws -> DefaultsOrigin { try place.origin(of: key) }

    /// Where the value of a key of the key store comes from, readable or not.
    ///
    /// - Parameter keyPath: The key.
    /// - Returns: A layer, the store, what is registered, or the key's default.
    /// - Throws: The error of a store that can't be read.
    public func origin<Value>(of keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) throws -> DefaultsOrigin {
        try origin(of: keyStore[keyPath: keyPath])
    }

    /// Whether the value of a key equals its default, stored or not.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether what is read equals the default.
    public func isDefaultValue<Value>(_ key: DefaultsKey<Value>) -> Bool where Value.T: Equatable {
        self[key: key] == key.defaultValue
    }

    /// Whether the value of a key of the key store equals its default, stored or not.
    ///
    /// - Parameter keyPath: The key.
    /// - Returns: Whether what is read equals the default.
    public func isDefaultValue<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> Bool
    where Value.T: Equatable {
        isDefaultValue(keyStore[keyPath: keyPath])
    }

    /// Registers the defaults of keys, so that ``defaults`` answers with them to code that knows no typed keys.
    ///
    /// They are gone with this adapter, take no part in listings and stay when everything is removed. A default of `nil` is not
    /// registered. Nothing is written to the store.
    ///
    /// - Parameter keys: The keys.
    /// - Throws: ``DefaultsError`` with code `notEncodable` when a default can't be; then nothing was registered.
    public func registerDefaults<each Value>(_ keys: repeat DefaultsKey<each Value>) throws {
        var values: StoredDictionary = [:]
        for key in repeat each keys {
            if let stored = try StoredForm(key).stored(key.defaultValue) { values[key._key] = stored }
        }
        place.userDefaults.register(values)
    }

    /// Registers the defaults of all keys that are stored properties of the key store.
    ///
    /// Computed properties can't be listed: name them to ``registerDefaults(_:)``.
    ///
    /// - Throws: The error of a default that can't be encoded; then nothing was registered.
    public func registerDefaults() throws {
        var values: StoredDictionary = [:]
        for key in declaredKeys {
            if let stored = try key.storedDefault() { values[key._key] = stored }
        }
        place.userDefaults.register(values)
    }

    /// What can't be read and was kept when something was written over it, oldest first.
    ///
    /// - Parameter key: The key.
    /// - Returns: The stored values, as they were.
    /// - Throws: The error of a store that can't be read.
    public func undecodableValues<Value>(of key: DefaultsKey<Value>) throws -> [StoredValue] {
        try UndecodableValues.kept(of: StoreKey(key._key), in: store)
    }

    /// Forgets what ``undecodableValues(of:)`` returns.
    ///
    /// - Parameter key: The key.
    /// - Throws: The error of a store that can't be written; then everything is still there.
    public func discardUndecodableValues<Value>(of key: DefaultsKey<Value>) throws {
        try UndecodableValues.discard(StoreKey(key._key), in: store)
    }
}
