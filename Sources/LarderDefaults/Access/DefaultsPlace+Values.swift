public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    // MARK: - What can't throw

    /// The value of a key, or its default; without a detour when it is stored as it is.
    @inlinable
    func quickValue<Value>(of key: DefaultsKey<Value>) -> Value.T {
        // In debug builds of this module every use of a key is noted.
        if !Self.notesDeclarations, isPlain, key.rules == nil, let stored = try? store.get(StoreKey(key._key)),
            let value = Value._plainValue(stored)
        {
            return value
        }
        return value(of: key)
    }

    #if DEBUG
    @usableFromInline static var notesDeclarations: Bool { true }
    #else
    @inlinable static var notesDeclarations: Bool { false }
    #endif

    /// The value of a key, or its default; what can't be read is reported.
    @usableFromInline
    func value<Value>(of key: DefaultsKey<Value>) -> Value.T {
        declarations.note(key, in: store)
        guard key.rules == nil else { return valueByRules(of: key) ?? key.defaultValue }
        let bridge = Value._defaults
        if bridge.keepsDecoded {
            let stored = try? value(StoreKey(key._key))
            if let stored, let value: Value.T = decoded.value(of: key._key, stored) { return value }
            if let value = bridge.get(key: key._key, userDefaults: facade.userDefaults) {
                if let stored { decoded.keep(value, of: key._key, stored) }
                return value
            }
        } else if let value = bridge.get(key: key._key, userDefaults: facade.userDefaults) {
            return value
        }
        // What a bridge can't read is as absent as nothing, except when something is written over it.
        do {
            if let stored = try store.get(StoreKey(key._key)), stored != .null {
                UndecodableValues.note(StoreKey(key._key))
            }
        } catch {
            // Looked at once more when it is written: what cannot be read now may be there after all.
            UndecodableValues.note(StoreKey(key._key))
            // Bridges of codecs have said so themselves.
            if !(Value._defaults is DefaultsCodecBridge<Value.T>) {
                store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            }
        }
        return key.defaultValue
    }

    private func valueByRules<Value>(of key: DefaultsKey<Value>) -> Value.T? {
        do {
            guard let found = try StoredForm(key).read(value) else { return nil }
            if found.isLossy, let stored = try value(StoreKey(key._key)) {
                store.issues.report(.lossy(stored, as: Value.T.self, key: key._key))
            }
            return found.value
        } catch {
            UndecodableValues.note(StoreKey(key._key))
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return nil
        }
    }

    /// Makes `value` the value of a key; when it can't be, the earlier one stays and the failure is reported.
    func set<Value>(_ value: Value.T, for key: DefaultsKey<Value>, of keyStore: String) {
        exclusively([StoreKey(key._key)]) { setClaimed(value, for: key, of: keyStore) }
    }

    /// ``set(_:for:of:)`` for a key that the caller has claimed.
    func setClaimed<Value>(_ value: Value.T, for key: DefaultsKey<Value>, of keyStore: String) {
        declarations.note(key, in: store, isRead: false)
        do {
            written.insert(key._key, of: keyStore)
            if key.rules == nil {
                if UndecodableValues.isNoted(StoreKey(key._key)) {
                    try store.transaction { try keepUndecodable(key, in: &$0) }
                }
                Value._defaults.save(key: key._key, value: value, userDefaults: facade.userDefaults)
            } else {
                try write(value, for: key)
            }
        } catch {
            store.issues.report(.unwritable(key._key, Value.T.self, error))
        }
    }

    // MARK: - What throws

    /// The value of a key.
    ///
    /// - Throws: ``DefaultsError`` or the store's error.
    func read<Value>(_ key: DefaultsKey<Value>) throws -> Value.T {
        declarations.note(key, in: store)
        guard let found = try StoredForm(key).read(value) else { throw DefaultsError.absent(key._key) }
        return found.value
    }

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

    // MARK: - For observers

    /// What a key read as when this was stored under its name.
    func value<Value>(of key: DefaultsKey<Value>, stored: StoredValue?) -> Value.T {
        guard let stored = stored ?? userDefaults.registeredValue(forKey: key._key) else { return key.defaultValue }
        if key.rules == nil {
            if let value = Value._defaults.observed(stored) { return value }
            let error = CoreError.NotFound(
                .notConvertible(stored: stored.kind, asked: "\(Value.T.self)"),
                key: key._key
            )
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return key.defaultValue
        }
        let form = StoredForm(key)
        do { return try form.decodeObserved(stored).value } catch {
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return key.defaultValue
        }
    }
}
