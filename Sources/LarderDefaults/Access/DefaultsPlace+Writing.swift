public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    // MARK: - What can't throw

    /// Makes `value` the value of a key; without a detour when it is stored as it is and nobody is in the way.
    @inlinable
    func quickSet<Value>(
        _ value: Value.T,
        for key: DefaultsKey<Value>,
        of keyStore: ObjectIdentifier,
        named name: @autoclosure () -> String
    ) {
        if key.rules == nil, let stored = Value._plainStored(value) {
            if Self.notesDeclarations { noteWrite(of: key) }
            if put(stored, key._key, as: Value.T.self, of: keyStore) { return }
        }
        set(value, for: key, of: KeyStoreIdentity(type: keyStore, name: name()))
    }

    @usableFromInline
    func noteWrite<Value>(of key: DefaultsKey<Value>) { declarations.note(key, in: store, isRead: false) }

    /// Puts a value into the store, unless a write has more to do than that: then nothing is done.
    ///
    /// No thread may hold a claim, run a transaction's body or observe, and the name must be on record. No claim is taken: a change in
    /// place that begins at this moment finds another value at its end than at its beginning, and lets it stand.
    ///
    /// - Returns: Whether it was put, or could not be, which is reported.
    @usableFromInline
    func put(_ value: StoredValue, _ name: String, as type: Any.Type, of keyStore: ObjectIdentifier) -> Bool {
        let name = marks.hashed(name)
        guard marks.has(name, of: keyStore),
            Detours.areNone || Detours.areNamesAlone && !UndecodableValues.isNoted(name.storeKey)
        else { return false }
        do {
            if case .null = value { try store.remove(name.storeKey) } else { try store.set(value, for: name.storeKey) }
        } catch {
            store.issues.report(.unwritable(name.text, type, error))
        }
        return true
    }

    /// Makes `value` the value of a key; when it can't be, the earlier one stays and the failure is reported.
    @usableFromInline
    func set<Value>(_ value: Value.T, for key: DefaultsKey<Value>, of keyStore: KeyStoreIdentity) {
        let bridge = Value.bridge
        let isHandWritten = key.rules == nil && bridge.isHandWritten
        do {
            try exclusively([StoreKey(key._key)], isWithCaller: isHandWritten) {
                declarations.note(key, in: store, isRead: false)
                written.insert(key._key, of: keyStore)
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

    // MARK: - What throws

    /// Makes `value` the value of a key that the caller has claimed.
    ///
    /// - Throws: ``DefaultsError`` or the store's error; then nothing was changed.
    func write<Value>(_ value: Value.T, for key: DefaultsKey<Value>) throws {
        declarations.note(key, in: store, isRead: false)
        let form = StoredForm(key)
        try store.transaction { transaction in
            try keepUndecodable(key, in: &transaction)
            try form.write(value, in: &transaction)
        }
    }

    /// Copies what is stored under a key to the reserved space if it could not be read earlier and still can't.
    func keepUndecodable<Value>(_ key: DefaultsKey<Value>, in transaction: inout StoreTransaction) throws {
        let place = StoreKey(key._key)
        guard UndecodableValues.isNoted(place), let stored = try transaction.get(place) else { return }
        do {
            _ = try StoredForm(key).read { try transaction.get($0) }
        } catch let error as DefaultsError where error.code != .newerVersion {
            try UndecodableValues.keep(stored, of: place, in: &transaction)
        } catch is DefaultsError {
            // Not written over at all: `write` refuses it.
        }
    }
}
