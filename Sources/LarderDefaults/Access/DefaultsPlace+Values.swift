public import LarderCore
import LarderDeviceStorage

extension DefaultsPlace {
    // MARK: - Without errors

    /// Returns the value of a key, or the key's default, with a fast path for values that need no decoding.
    @inlinable
    func quickValue<Value>(of key: DefaultsKey<Value>) -> Value.T {
        // If the read fails, the general path reads again and reports the error.
        if isPlain, key.rules == nil, let stored = try? store.get(StoreKey(key._key)),
            let value = Value._plainValue(stored)
        {
            if Self.notesDeclarations { noteRead(of: key) }
            return value
        }
        return value(of: key)
    }

    @usableFromInline
    func noteRead<Value>(of key: DefaultsKey<Value>) { declarations.note(key, in: store) }

    // Debug builds of this module check every use of a key for conflicting declarations.

    #if DEBUG
    @usableFromInline static var notesDeclarations: Bool { true }
    #else
    @inlinable static var notesDeclarations: Bool { false }
    #endif

    /// Returns the value of a key, or the key's default, and reports an issue if the value can't be read.
    @usableFromInline
    func value<Value>(of key: DefaultsKey<Value>) -> Value.T {
        declarations.note(key, in: store)
        guard key.rules == nil else { return valueByRules(of: key) ?? key.defaultValue }
        let bridge = Value.bridge
        if bridge.keepsDecoded {
            // If this read fails, the bridge reads again and reports the error.
            let stored = try? value(StoreKey(key._key))
            if let stored, let value: Value.T = decoded.value(of: key._key, stored) { return value }
            if let value = bridge.get(key: key._key, userDefaults: facade.userDefaults) {
                if let stored { decoded.keep(value, of: key._key, stored) }
                return value
            }
        } else if let value = bridge.get(key: key._key, userDefaults: facade.userDefaults) {
            return value
        }
        // The bridge returned no value. A key with an undecodable value is noted, so that the next write keeps a copy of the value.
        do {
            if let stored = try store.get(StoreKey(key._key)), stored != .null {
                UndecodableValues.note(StoreKey(key._key))
                if bridge.isHandWritten, let reason = bridge.unspokenReason(against: stored) {
                    store.issues.report(.unreadable(key._key, as: Value.T.self, reason))
                }
            }
        } catch {
            // The value is checked again when the key is written, because a value that can't be read now may still exist.
            UndecodableValues.note(StoreKey(key._key))
            // Bridges with a codec have already reported the error.
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

    // MARK: - With errors

    /// Returns the value of a key, without falling back to the key's default.
    ///
    /// - Throws: ``DefaultsError`` if there is no value or the value can't be decoded, or the store's error if the store can't be read.
    func read<Value>(_ key: DefaultsKey<Value>) throws -> Value.T {
        declarations.note(key, in: store)
        guard let found = try StoredForm(key).read(value) else { throw DefaultsError.absent(key._key) }
        if let loss = found.loss { store.issues.report(loss) }
        return found.value
    }

    // MARK: - For observers

    /// Returns the value that observers of a key receive when `stored` is the stored value.
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
