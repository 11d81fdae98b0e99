package import LarderCore

/// An in-memory table of a store's entries, which checks the expectations of batches and applies their writes.
///
/// A store that writes a file applies a batch to a copy of its table, and replaces the table with the copy after writing the file.
package struct StoreTable: Sendable {
    private var values: [StoreKey: StoredValue] = [:]

    /// Creates an empty table.
    package init() {}

    /// The number of entries, including those with reserved keys.
    package var count: Int { values.count }

    /// All entries in no particular order, including those with reserved keys.
    package var allEntries: [StoreKey: StoredValue] { values }

    /// The value for `key`, or `nil` if there is no value.
    ///
    /// Setting a value neither validates the value nor reports a change.
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
                // The key is joined into one string, so that the table doesn't retain a prefix that is longer than necessary.
                values[key.joined] = newValue
            }
        }
    }

    /// Returns all entries whose keys begin with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// Entries with reserved keys are omitted.
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

    /// Returns a page of the entries, in one pass over the table.
    ///
    /// Entries with reserved keys are omitted.
    package func page(_ request: EntryPageRequest) -> EntryPage {
        var selection = EntrySelection<StoredValue>(request)
        var total = 0
        for (key, value) in values where !key.isReserved {
            key.withBytes { bytes in
                guard selection.hasPrefix(bytes) else { return }
                total += 1
                guard selection.admits(bytes) else { return }
                if let search = request.search, !search.matches(bytes), !search.matches(value) { return }
                selection.take(bytes, value)
            }
        }
        let (entries, isLast) = selection.finish()
        return EntryPage(entries, isLast: isLast, total: total, request) {
            PagedEntry(key: $0.key, value: .success($0.payload))
        }
    }

    /// Returns whether all expectations of `batch` hold.
    package func fulfills(_ batch: StoreBatch) -> Bool {
        batch.expectations.allSatisfy { expectation in
            switch expectation {
            case .value(let value, let key): values[key] == value
            case .entries(let entries, let prefix): self.entries(prefix: prefix) == entries
            }
        }
    }

    /// Applies the writes of a validated batch.
    ///
    /// - Returns: The resulting changes, in the order in which the batch first writes the keys.
    package mutating func apply(_ batch: StoreBatch) -> StoreTableChange {
        // Most batches write a single key and need not track earlier writes.
        if batch.writes.count == 1 { return apply(batch.writes[0], origin: batch.origin) }
        var touched: [StoreKey: StoredValue?] = [:]
        var order: [StoreKey] = []
        for write in batch.writes {
            if touched.updateValue(touched[write.key] ?? self[write.key], forKey: write.key) == nil {
                order.append(write.key)
            }
            // The table copies the caller's bytes, because a custom deallocator would otherwise run under the store's lock.
            self[write.key] = write.value?.withOwnBytes
        }
        return change(of: order, before: { touched[$0] ?? nil }, origin: batch.origin)
    }

    /// Applies a single write, with only one hash lookup if the key exists.
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

    /// Returns the changes between an earlier state of this table and its current state, sorted by key bytes.
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

/// The changes that a batch or another process made to a ``StoreTable``.
package struct StoreTableChange: Sendable {
    /// Whether no value changed, including the values of reserved keys.
    package let isEmpty: Bool
    /// The change to publish to observers, which omits reserved keys.
    package let published: StoreChange
}
