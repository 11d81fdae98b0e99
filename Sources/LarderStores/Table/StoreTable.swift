package import LarderCore

/// The entries of a store that keeps all of them in memory, and the rules of a commit on them.
///
/// A plain value: a store that must write a file first applies a batch to a copy and keeps the copy once the file is there.
package struct StoreTable: Sendable {
    private var values: [StoreKey: StoredValue] = [:]

    /// A table without entries.
    package init() {}

    /// How many entries there are, reserved ones included.
    package var count: Int { values.count }

    /// Every entry in no particular order, reserved ones included.
    package var allEntries: [StoreKey: StoredValue] { values }

    /// The value under `key`.
    ///
    /// Setting neither validates nor reports anything.
    package subscript(key: StoreKey) -> StoredValue? {
        get { values[key] }
        set {
            guard let newValue else {
                values.removeValue(forKey: key)
                return
            }
            if let index = values.index(forKey: key) {
                values.values[index] = newValue
            } else {
                values[key.joined] = newValue
            }
        }
    }

    /// The entries whose key begins with exactly the bytes of `prefix`, sorted by key bytes, reserved ones left out.
    ///
    /// - Complexity: O(*n* + *m* log *m*) for *m* results among *n* entries.
    package func entries(prefix: String) -> [StoreEntry] {
        var found: [StoreEntry] = []
        for (key, value) in values where !key.isReserved {
            let text = key.text
            if text.utf8.starts(with: prefix.utf8) { found.append(StoreEntry(key: text, value: value)) }
        }
        found.sort { $0.key.precedesByBytes($1.key) }
        return found
    }

    /// Whether everything `batch` requires is so.
    package func fulfils(_ batch: StoreBatch) -> Bool {
        batch.expectations.allSatisfy { expectation in
            switch expectation {
            case .value(let value, let key): values[key] == value
            case .entries(let entries, let prefix): self.entries(prefix: prefix) == entries
            }
        }
    }

    /// Carries out the writes of `batch`, which has been validated.
    ///
    /// The table keeps copies of a caller's bytes: their deallocator would run where the table lets them go, under a store's lock.
    ///
    /// - Returns: Each key whose value is now another one, reserved keys included, in the order they were first written.
    package mutating func apply(_ batch: StoreBatch) -> StoreTableChange {
        // What most commits are: nothing to remember about other writes to the same key.
        if batch.writes.count == 1 { return apply(batch.writes[0], origin: batch.origin) }
        var touched: [StoreKey: StoredValue?] = [:]
        var order: [StoreKey] = []
        for write in batch.writes {
            if touched.updateValue(touched[write.key] ?? self[write.key], forKey: write.key) == nil {
                order.append(write.key)
            }
            self[write.key] = write.value?.withOwnBytes
        }
        return change(of: order, before: { touched[$0] ?? nil }, origin: batch.origin)
    }

    /// Carries out one write, with one look-up where the key is there already.
    private mutating func apply(_ write: StoreBatch.Write, origin: StoreChange.Origin) -> StoreTableChange {
        let key = write.key
        let index = values.index(forKey: key)
        let old = index.map { values.values[$0] }
        guard old != write.value else {
            return StoreTableChange(isEmpty: true, published: StoreChange(entries: [], origin: origin))
        }
        let new = write.value?.withOwnBytes
        if let index, let new {
            values.values[index] = new
        } else {
            self[key] = new
        }
        let entry = StoreChange.Entry(key: key.text, old: old, new: new)
        let entries = key.isReserved ? [] : [entry]
        return StoreTableChange(isEmpty: false, published: StoreChange(entries: entries, origin: origin))
    }

    /// What makes this table differ from an earlier state of it, keys sorted by bytes.
    package func changes(since earlier: StoreTable, origin: StoreChange.Origin) -> StoreTableChange {
        let gone = earlier.values.keys.filter { values[$0] == nil }
        let order = (gone + values.keys.filter { values[$0] != earlier.values[$0] }).sorted()
        return change(of: order, before: { earlier.values[$0] }, origin: origin)
    }

    private func change(
        of keys: [StoreKey],
        before: (StoreKey) -> StoredValue?,
        origin: StoreChange.Origin
    ) -> StoreTableChange {
        var entries: [StoreChange.Entry] = []
        var isEmpty = true
        for key in keys {
            let old = before(key)
            let new = values[key]
            guard old != new else { continue }
            isEmpty = false
            if !key.isReserved { entries.append(StoreChange.Entry(key: key.text, old: old, new: new)) }
        }
        return StoreTableChange(isEmpty: isEmpty, published: StoreChange(entries: entries, origin: origin))
    }
}

/// What a commit did to a ``StoreTable``.
package struct StoreTableChange: Sendable {
    /// Whether no key, reserved ones included, has another value than before.
    package let isEmpty: Bool
    /// What observers may see; its entries are empty when only reserved keys changed.
    package let published: StoreChange
}

extension StoreKey {
    /// The same key in one piece, so that a table holds no prefix longer than it must.
    fileprivate var joined: StoreKey { prefix.isEmpty || isInternal ? self : StoreKey(text) }
}
