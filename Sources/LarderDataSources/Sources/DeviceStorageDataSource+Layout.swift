import LarderCore

// Reading, writing and deleting in both layouts: one key per value, or one dictionary for all values.
extension DeviceStorageDataSource where T: StorableValue {
    func read<Value: StorableValue>(_ type: Value.Type, _ key: String) throws -> Value {
        switch layout {
        case .keys(let prefix):
            let key = StoreKey(key, prefix: prefix)
            guard let value = try store.value(type, for: key, policy: policy) else {
                throw CoreError.NotFound(.absent, key: key.text)
            }
            return value
        case .dictionary(let root): return try convert(dictionary(in: store.get(root), at: root)[key], key)
        }
    }

    func readEach(_ keys: [String]) throws -> [T] {
        switch layout {
        case .keys(let prefix):
            try store.transaction { transaction in
                try keys.map { key in
                    let key = StoreKey(key, prefix: prefix)
                    return try convert(transaction.get(key), key.text)
                }
            }
        case .dictionary(let root):
            try { entries in try keys.map { try convert(entries[$0], $0) } }(dictionary(in: store.get(root), at: root))
        }
    }

    /// Writes a value under a key, or removes the key if `value` is `nil`.
    func write(_ value: StoredValue?, _ key: String) throws {
        switch layout {
        case .keys(let prefix):
            let key = StoreKey(key, prefix: prefix)
            if let value { try store.set(value, for: key) } else { try store.remove(key) }
        case .dictionary: try writeEach([(key, value)])
        }
    }

    func writeEach(_ writes: [(key: String, value: StoredValue?)]) throws {
        switch layout {
        case .keys(let prefix):
            var batch = StoreBatch()
            for (key, value) in writes { batch.write(value, for: StoreKey(key, prefix: prefix)) }
            _ = try store.commit(batch)
        case .dictionary(let root):
            try changeDictionary(root) { entries in
                for (key, value) in writes { entries[key] = value }
            }
        }
    }

    /// Returns all entries under the prefix or in the root dictionary, sorted by key.
    ///
    /// The returned keys do not include the prefix.
    func allValues() throws -> [StoreEntry] {
        switch layout {
        case .keys(let prefix):
            guard !prefix.isEmpty else { throw CoreError.QueryNotSupported.everythingWithoutPrefix }
            return try store.entries(prefix: prefix).map { StoreEntry(key: $0.key.dropping(prefix), value: $0.value) }
        case .dictionary(let root):
            return try dictionary(in: store.get(root), at: root).map { StoreEntry(key: $0.key, value: $0.value) }
        }
    }

    func removeAll() throws {
        switch layout {
        case .keys(let prefix):
            guard !prefix.isEmpty else { throw CoreError.QueryNotSupported.everythingWithoutPrefix }
            try store.transaction { transaction in
                for entry in try transaction.entries(prefix: prefix) { try transaction.remove(StoreKey(entry.key)) }
            }
        case .dictionary(let root):
            try store.transaction { transaction in
                _ = try dictionary(in: transaction.get(root), at: root)
                try transaction.remove(root)
            }
        }
    }

    /// Reads a value, changes it with a closure and writes it back in a single transaction.
    func change(_ key: String, _ change: (inout T?) throws -> Void) throws -> T? {
        switch layout {
        case .keys(let prefix):
            try store.transaction { transaction in
                let key = StoreKey(key, prefix: prefix)
                let stored = try transaction.get(key)
                var value: T? = try stored.map { try convert($0, key.text) }
                try change(&value)
                if let value { try transaction.set(value.storedValue, for: key) } else { try transaction.remove(key) }
                return value
            }
        case .dictionary(let root):
            try changeDictionary(root) { entries in
                var value: T? = try entries[key].map { try convert($0, key) }
                try change(&value)
                entries[key] = value?.storedValue
                return value
            }
        }
    }

    private func changeDictionary<Result>(
        _ root: StoreKey,
        _ change: (inout StoredDictionary) throws -> Result
    ) throws -> Result {
        try store.transaction { transaction in
            let stored = try transaction.get(root)
            var entries = try dictionary(in: stored, at: root)
            let result = try change(&entries)
            // Deleting from a missing dictionary does not create it.
            if stored != nil || !entries.isEmpty { try transaction.set(.dictionary(entries), for: root) }
            return result
        }
    }

    /// Returns the dictionary that is stored under the root key, or an empty dictionary if the key has no value.
    private func dictionary(in stored: StoredValue?, at root: StoreKey) throws -> StoredDictionary {
        switch stored {
        case nil: return [:]
        case .dictionary(let entries)?: return entries
        case let other?:
            throw CoreError.NotValid(
                "The root key \(root.text.debugDescription) can't be used because it holds a value of type \(other.kind.rawValue) instead of a dictionary. Choose another root key, or remove the value."
            )
        }
    }

    private func convert<Value: StorableValue>(_ stored: StoredValue?, _ key: String) throws -> Value {
        guard let stored else { throw CoreError.NotFound(.absent, key: key) }
        guard let conversion = Value.converted(from: stored, policy: policy) else {
            throw CoreError.NotFound(.notConvertible(stored: stored.kind, asked: "\(Value.self)"), key: key)
        }
        if conversion.isLossy {
            store.issues.report(
                LarderIssue(
                    .lossyConversion,
                    "Reading the \(stored.kind.rawValue) value for \(key.debugDescription) as \(Value.self) lost part of the value. Read the value as \(stored.kind.rawValue).",
                    key: key
                )
            )
        }
        return conversion.value
    }
}

extension String {
    /// Returns the string without `prefix`.
    ///
    /// The string must begin with `prefix`.
    func dropping(_ prefix: String) -> String { String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) }
}
