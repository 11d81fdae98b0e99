import LarderCore

/// A step of a ``DefaultsMigration``.
public struct DefaultsMigrationStep<KeyStore: DefaultsKeyStore> {
    /// The type-erased operation that a step performs.
    struct Work {
        /// The name under which to read the value.
        let name: String
        /// The name under which to write or remove the value.
        let key: String
        /// Whether `key` is declared as a typed key in the key store.
        var isTyped = true
        /// A closure that converts a value in a transaction and appends an issue for each lossy conversion.
        ///
        /// The first argument is an imported value, or `nil` to read the value in the transaction.
        let write:
            (StoredValue?, inout StoreTransaction, inout [LarderIssue]) throws -> DefaultsMigrationReport.Item.Outcome
    }

    let work: (KeyStore) -> Work

    /// Returns a step that reads a key's value in any supported format and stores the value in Larder's format.
    ///
    /// - Parameter keyPath: The path from the key store to the key. The step also reads the key's former names and applies its migration.
    /// - Returns: A step to pass to ``DefaultsMigration``.
    public static func adopt<Value>(_ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>) -> DefaultsMigrationStep {
        DefaultsMigrationStep { keyStore in
            let key = keyStore[keyPath: keyPath]
            return Work(name: key._key, key: key._key) { imported, transaction, issues in
                let form = StoredForm(key)
                let before = try transaction.get(StoreKey(key._key))
                if let imported {
                    let found = try form.decodeImported(imported)
                    if let loss = found.loss { issues.append(loss) }
                    return try form.replace(before, by: found.value, importedAs: imported, in: &transaction)
                }
                guard let found = try form.read({ try transaction.get($0) }) else { return .absent }
                if let loss = found.loss { issues.append(loss) }
                try form.write(found.value, in: &transaction)
                let after = try transaction.get(StoreKey(key._key))
                return before == after ? .unchanged : .written(from: before?.kind, to: after?.kind)
            }
        }
    }

    /// Returns a step that moves a value from another name to a key and converts the value to the key's stored form.
    ///
    /// - Parameters:
    ///   - name: The value's former name. The value under this name is removed.
    ///   - keyPath: The path from the key store to the key.
    /// - Returns: A step to pass to ``DefaultsMigration``.
    public static func rename<Value>(
        _ name: String,
        to keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> DefaultsMigrationStep {
        change(keyPath, was: name) { try $0.decodeImported($1) }
    }

    /// Returns a step that reads a value as its former type and converts the value to the key's type.
    ///
    /// - Parameters:
    ///   - keyPath: The path from the key store to the key.
    ///   - name: The value's former name, if it differs from the key's name. The value under this name is removed.
    ///   - type: The type with which the value was stored.
    ///   - convert: A closure that returns the new value for an old value. If the closure throws an error, the step fails.
    /// - Returns: A step to pass to ``DefaultsMigration``.
    public static func change<Old: DefaultsSerializable, Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        was name: String? = nil,
        from type: Old.Type,
        _ convert: @escaping (Old.T) throws -> Value.T
    ) -> DefaultsMigrationStep {
        change(keyPath, was: name) { form, stored in
            do {
                let old = try stored.conversion(to: type)
                return FoundValue(
                    value: try convert(old.value),
                    loss: old.isLossy ? .lossy(stored, as: Old.T.self, key: form.key._key) : nil
                )
            } catch {
                throw DefaultsError.reading(form.key._key, as: Old.T.self, error)
            }
        }
    }

    private static func change<Value>(
        _ keyPath: KeyPath<KeyStore, DefaultsKey<Value>>,
        was name: String?,
        _ value: @escaping (StoredForm<Value>, StoredValue) throws -> FoundValue<Value.T>
    ) -> DefaultsMigrationStep {
        DefaultsMigrationStep { keyStore in
            let key = keyStore[keyPath: keyPath]
            let name = name ?? key._key
            return Work(name: name, key: key._key) { imported, transaction, issues in
                let form = StoredForm(key)
                let before = try transaction.get(StoreKey(key._key))
                guard let stored = try imported ?? transaction.get(StoreKey(name)) else { return .absent }
                let isElsewhere = imported != nil || name != key._key
                let found = try value(form, stored)
                if let loss = found.loss { issues.append(loss) }
                let outcome = try form.replace(
                    isElsewhere ? before : nil,
                    by: found.value,
                    importedAs: stored,
                    in: &transaction
                )
                if imported == nil, name != key._key { try transaction.remove(StoreKey(name)) }
                return outcome
            }
        }
    }

    /// Returns a step that removes the value under a name.
    ///
    /// - Parameter name: The name of the value. The step also succeeds if nothing is stored under this name.
    /// - Returns: A step to pass to ``DefaultsMigration``.
    public static func remove(_ name: String) -> DefaultsMigrationStep {
        DefaultsMigrationStep { _ in
            Work(name: name, key: name, isTyped: false) { _, transaction, _ in
                guard let before = try transaction.get(StoreKey(name)) else { return .absent }
                try transaction.remove(StoreKey(name))
                return .written(from: before.kind, to: nil)
            }
        }
    }
}

extension DefaultsMigrationStep.Work {
    /// Runs the step in a transaction.
    ///
    /// If a value can't be read or written, the result is `failed` with the reason.
    func run(
        reading source: (any KeyValueStore)?,
        in transaction: inout StoreTransaction,
        _ issues: inout [LarderIssue]
    ) throws
        -> DefaultsMigrationReport.Item
    {
        do {
            let imported = try source?.get(StoreKey(name))
            let isAbsent = source != nil && imported == nil && isTyped
            let outcome = isAbsent ? .absent : try write(imported, &transaction, &issues)
            return DefaultsMigrationReport.Item(name: name, key: key, outcome: outcome)
        } catch let error as DefaultsError {
            return DefaultsMigrationReport.Item(name: name, key: key, outcome: .failed(error.description))
        }
    }
}

extension StoredForm {
    /// Writes an imported value under a key, unless the key already has a value.
    fileprivate func replace(
        _ present: StoredValue?,
        by value: Value.T,
        importedAs imported: StoredValue,
        in transaction: inout StoreTransaction
    ) throws -> DefaultsMigrationReport.Item.Outcome {
        let stored = try stored(value)
        if let present { return present == stored ? .unchanged : .kept }
        try write(value, in: &transaction)
        return .written(from: imported.kind, to: stored?.kind)
    }
}
