public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    // MARK: - What can't throw

    /// The value of a key, or its default; without a detour when it is stored as it is.
    @inlinable
    func quickValue<Value>(of key: DefaultsKey<Value>) -> Value.T {
        // In debug builds of this module every use of a key is noted. A store that can't be read is asked again, and says why.
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
        let bridge = Value.bridge
        if bridge.keepsDecoded {
            // One that can't be read is read by the bridge, which says why.
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
                if bridge.isHandWritten, let reason = bridge.unspokenReason(against: stored) {
                    store.issues.report(.unreadable(key._key, as: Value.T.self, reason))
                }
            }
        } catch {
            // Looked at once more when it is written: what cannot be read now may be there after all.
            UndecodableValues.note(StoreKey(key._key))
            // Bridges of codecs have said so themselves.
            if bridge.isHandWritten { store.issues.report(.unreadable(key._key, as: Value.T.self, error)) }
        }
        return key.defaultValue
    }

    private func valueByRules<Value>(of key: DefaultsKey<Value>) -> Value.T? {
        do {
            guard let found = try StoredForm(key).read(value) else { return nil }
            if let loss = found.loss { store.issues.report(loss) }
            return found.value
        } catch {
            UndecodableValues.note(StoreKey(key._key))
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return nil
        }
    }

    // MARK: - What throws

    /// The value of a key.
    ///
    /// - Throws: ``DefaultsError`` or the store's error.
    func read<Value>(_ key: DefaultsKey<Value>) throws -> Value.T {
        declarations.note(key, in: store)
        guard let found = try StoredForm(key).read(value) else { throw DefaultsError.absent(key._key) }
        if let loss = found.loss { store.issues.report(loss) }
        return found.value
    }

    // MARK: - For observers

    /// What a key read as when this was stored under its name.
    func value<Value>(of key: DefaultsKey<Value>, stored: StoredValue?) -> Value.T {
        guard let stored = stored ?? userDefaults.registeredValue(forKey: key._key) else { return key.defaultValue }
        do {
            if key.rules == nil {
                let observed = try Value.bridge.observed(stored, of: key._key, in: store)
                if observed.isLossy { store.issues.report(.lossy(stored, as: Value.T.self, key: key._key)) }
                return observed.value
            }
            let found = try StoredForm(key).decodeObserved(stored)
            if let loss = found.loss { store.issues.report(loss) }
            return found.value
        } catch {
            store.issues.report(.unreadable(key._key, as: Value.T.self, error))
            return key.defaultValue
        }
    }
}
