import LarderCore
import LarderDeviceStorage

/// A decoded value and the issue to report if its conversion was lossy.
struct FoundValue<Value> {
    let value: Value
    /// The issue to report when the value is used, or `nil` if the conversion was not lossy.
    let loss: LarderIssue?
}

/// An accessor for a key's stored value, which handles the key's former names and the value's version.
struct StoredForm<Value: DefaultsSerializable> {
    let key: DefaultsKey<Value>
    let bridge: DefaultsBridge<Value.T>

    init(_ key: DefaultsKey<Value>) {
        self.key = key
        bridge = Value.bridge
    }

    /// Reads and decodes the key's value, or returns `nil` if nothing is stored.
    ///
    /// - Throws: ``DefaultsError`` if the stored value can't be decoded, or an error thrown by `get`.
    func read(_ get: (StoreKey) throws -> StoredValue?) throws -> FoundValue<Value.T>? {
        for name in [key._key] + (key.rules?.formerNames ?? []) {
            guard let stored = try get(StoreKey(name)) else { continue }
            do {
                return try found(stored, version: name == key._key ? version(get) : 0)
            } catch {
                throw DefaultsError.reading(name, as: Value.T.self, error)
            }
        }
        return nil
    }

    /// Decodes a value of version 0 that was stored in another store or under another name.
    func decodeImported(_ stored: StoredValue) throws -> FoundValue<Value.T> {
        do {
            return try found(stored, version: 0)
        } catch {
            throw DefaultsError.reading(key._key, as: Value.T.self, error)
        }
    }

    /// Decodes a stored value for an observer.
    ///
    /// The value is decoded as the current version, or if that fails, as version 0.
    func decodeObserved(_ stored: StoredValue) throws -> FoundValue<Value.T> {
        do {
            return try found(stored, version: knownVersion)
        } catch {
            return try found(stored, version: 0)
        }
    }

    /// Returns whether `stored` is the stored form of `value`.
    func isStored(_ value: Value.T, as stored: StoredValue?) -> Bool {
        // A value that can't be encoded can't be stored.
        do { return try self.stored(value) == stored } catch { return false }
    }

    /// Writes the key's value in a transaction.
    ///
    /// - Throws: ``DefaultsError``, or the store's error. The caller must then cancel the transaction.
    func write(_ value: Value.T, in transaction: inout StoreTransaction) throws {
        if key.rules == nil, bridge.isHandWritten { return try save(value, in: &transaction) }
        let stored = try stored(value)
        if let versionKey = key.rules?.versionKey, try transaction.get(StoreKey(key._key)) != nil {
            let version = try version { try transaction.get($0) }
            if version > knownVersion { throw DefaultsError.newer(key._key, stored: version, known: knownVersion) }
            if stored == nil { try transaction.remove(versionKey) }
        }
        for name in key.rules?.formerNames ?? [] { try transaction.remove(StoreKey(name)) }
        guard let stored else { return try transaction.remove(StoreKey(key._key)) }
        try transaction.set(stored, for: StoreKey(key._key))
        if let versionKey = key.rules?.versionKey { try transaction.set(.int(Int64(knownVersion)), for: versionKey) }
    }

    /// Returns the stored form of a value, or `nil` if the value is `nil`.
    func stored(_ value: Value.T) throws -> StoredValue? {
        do {
            let encoded = try bridge.exactCodec.encode(validate(value))
            if case .null = encoded { return nil }
            return encoded
        } catch let error as DefaultsError {
            throw error
        } catch {
            throw DefaultsError.notEncodable(key._key, Value.T.self, error)
        }
    }

    /// Uses the custom bridge to save a value to a temporary `UserDefaults` instance, and copies the resulting entries to `transaction`.
    private func save(_ value: Value.T, in transaction: inout StoreTransaction) throws {
        let name = StoreKey(key._key)
        let scratch = try ScratchDefaults(transaction.get(name), for: name)
        let before = scratch.revision
        let issues = CollectedIssues()
        issues.collect { bridge.save(key: key._key, value: value, userDefaults: scratch.userDefaults) }
        if scratch.revision == before, let error = issues.firstError {
            throw DefaultsError.notEncodable(key._key, Value.T.self, error)
        }
        if try scratch.value(for: name) == nil { try transaction.remove(name) }
        for entry in try scratch.entries { try transaction.set(entry.value, for: StoreKey(entry.key)) }
    }

    private func found(_ stored: StoredValue, version: Int) throws -> FoundValue<Value.T> {
        let conversion = try decode(stored, version: version)
        return FoundValue(
            value: try validate(conversion.value),
            loss: conversion.isLossy ? .lossy(stored, as: Value.T.self, key: key._key) : nil
        )
    }

    private func decode(_ stored: StoredValue, version: Int) throws -> Conversion<Value.T> {
        if version > knownVersion { throw DefaultsError.newer(key._key, stored: version, known: knownVersion) }
        if version < knownVersion, let migration = key.rules?.migration {
            return Conversion(try migration(stored, version))
        }
        return try bridge.exactCodec.decode(stored)
    }

    private func validate(_ value: Value.T) throws -> Value.T {
        do {
            return try key.rules?.validation?.apply(value) ?? value
        } catch let refusal as DefaultsValidation<Value.T>.Refusal {
            throw DefaultsError.rejected(key._key, reason: refusal.reason)
        }
    }

    private var knownVersion: Int { key.rules?.version ?? 0 }

    private func version(_ get: (StoreKey) throws -> StoredValue?) throws -> Int {
        guard let versionKey = key.rules?.versionKey, case .int(let version)? = try get(versionKey) else { return 0 }
        return Int(clamping: version)
    }
}
