import LarderCore

/// One line of a ``DefaultsMigration``.
public struct DefaultsMigrationStep<KeyStore: DefaultsKeyStore> {
    /// The step for the keys of one key store.
    struct Work {
        /// The name that is read.
        let name: String
        /// The name that is written, or removed.
        let key: String
        /// Whether `key` is a key of the key store.
        var isTyped = true
        /// What to write in a transaction for what is stored under `name`, which is `nil` when the value stands there already.
        ///
        /// What was lost is added to the issues.
        let write:
            (StoredValue?, inout StoreTransaction, inout [LarderIssue]) throws -> DefaultsMigrationReport.Item.Outcome
    }

    let work: (KeyStore) -> Work

    /// Reads a key in whatever form it is stored, and stores it in Larder's.
    ///
    /// - Parameter keyPath: The key. Its former names and its migration count.
    /// - Returns: The step.
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

    /// Reads what is stored under another name as the value of a key, in whatever form, and removes the other name.
    ///
    /// - Parameters:
    ///   - name: The earlier name.
    ///   - keyPath: The key.
    /// - Returns: The step.
    public static func rename<Value>(
        _ name: String,
        to keyPath: KeyPath<KeyStore, DefaultsKey<Value>>
    ) -> DefaultsMigrationStep {
        change(keyPath, was: name) { try $0.decodeImported($1) }
    }

    /// Reads a value as the type that it had, and makes the key's of it.
    ///
    /// - Parameters:
    ///   - keyPath: The key.
    ///   - name: The earlier name, if it was another; it is removed.
    ///   - type: The type that the value was stored as.
    ///   - convert: Makes the new value. When it throws, the step fails.
    /// - Returns: The step.
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

    /// Removes what is stored under a name.
    ///
    /// - Parameter name: The name; a missing one is no failure.
    /// - Returns: The step.
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
    /// Does the step; a value that can't be read or written is part of the report.
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
    /// Writes a value that was stored elsewhere, unless another one is there already.
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
