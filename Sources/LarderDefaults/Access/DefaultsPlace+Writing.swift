public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    // MARK: - Without errors

    /// Writes the value of a key, with a fast path for values that are stored without encoding.
    @inlinable
    func quickSet<Value>(
        _ value: Value.T,
        for key: DefaultsKey<Value>,
        of keyStore: KeyStoreIdentity
    ) {
        if key.rules == nil, let stored = Value._plainStored(value) {
            if Self.notesDeclarations { noteWrite(of: key) }
            if put(stored, key._key, as: Value.T.self, of: keyStore) { return }
        }
        set(value, for: key, of: keyStore)
    }

    @usableFromInline
    func noteWrite<Value>(of key: DefaultsKey<Value>) { declarations.note(key, in: store, isRead: false) }

    /// Returns whether the value of a key can be written with a single call to the store.
    ///
    /// This requires that the key is already in the set of written keys, that no undecodable value must be copied first, and that there are
    /// no observers and no running transactions. The caller must also check whether the key is locked.
    ///
    /// - Parameters:
    ///   - key: The key to write, with a cached hash.
    ///   - keyStore: The key store that declares the key.
    /// - Returns: `true` if one call is enough, or `false` if more calls may be necessary.
    func isPlainWrite(of key: StoreKey, _ keyStore: KeyStoreIdentity) -> Bool {
        written.isMarked(key, of: keyStore) && !DefaultsObservation.areAny && !RunningTransaction.areAny
            && !UndecodableValues.isNoted(key)
    }

    /// Tries to write a value with a single call to the store, without acquiring the key's lock.
    ///
    /// - Returns: `true` if the value was written or an issue was reported, or `false` if the caller must write it under the lock.
    @usableFromInline
    func put(_ value: StoredValue, _ name: String, as type: Any.Type, of keyStore: KeyStoreIdentity) -> Bool {
        let key = StoreKey(name).rememberingHash()
        guard isPlainWrite(of: key, keyStore), !claims.isHeld(key) else { return false }
        do {
            if case .null = value { try store.remove(key) } else { try store.set(value, for: key) }
        } catch {
            store.issues.report(.unwritable(name, type, error))
        }
        return true
    }

    /// Writes the value of a key, and reports an issue if the value can't be written.
    ///
    /// If the write fails, the existing value is kept.
    @usableFromInline
    func set<Value>(_ value: Value.T, for key: DefaultsKey<Value>, of keyStore: KeyStoreIdentity) {
        let bridge = Value.bridge
        let isHandWritten = key.rules == nil && bridge.isHandWritten
        do {
            try exclusively([StoreKey(key._key)], isWithCaller: isHandWritten) {
                declarations.note(key, in: store, isRead: false)
                written.insert(StoreKey(key._key), of: keyStore)
                guard key.rules == nil else { return try write(value, for: key) }
                if UndecodableValues.isNoted(StoreKey(key._key)) {
                    try store.transaction { try keepUndecodable(key, in: &$0) }
                }
                if isHandWritten {
                    bridge.save(key: key._key, value: value, userDefaults: facade.userDefaults)
                } else if let stored = try StoredForm(key).stored(value) {
                    try store.set(stored, for: StoreKey(key._key))
                } else {
                    try store.remove(StoreKey(key._key))
                }
            }
        } catch {
            store.issues.report(.unwritable(key._key, Value.T.self, error))
        }
    }

    // MARK: - With errors

    /// Writes the value of a key whose lock the caller holds.
    ///
    /// - Throws: ``DefaultsError`` if the value is invalid or can't be encoded, or the store's error. A failed write changes nothing.
    func write<Value>(_ value: Value.T, for key: DefaultsKey<Value>) throws {
        declarations.note(key, in: store, isRead: false)
        let form = StoredForm(key)
        try store.transaction { transaction in
            try keepUndecodable(key, in: &transaction)
            try form.write(value, in: &transaction)
        }
    }

    /// Copies a key's stored value to a reserved key if an earlier read failed to decode the value and decoding still fails.
    func keepUndecodable<Value>(_ key: DefaultsKey<Value>, in transaction: inout StoreTransaction) throws {
        let place = StoreKey(key._key)
        guard UndecodableValues.isNoted(place), let stored = try transaction.get(place) else { return }
        do {
            _ = try StoredForm(key).read { try transaction.get($0) }
        } catch let error as DefaultsError where error.code != .newerVersion {
            try UndecodableValues.keep(stored, of: place, in: &transaction)
        } catch is DefaultsError {
            // A value with a newer version need not be kept, because `write` refuses to overwrite it.
        }
    }
}
