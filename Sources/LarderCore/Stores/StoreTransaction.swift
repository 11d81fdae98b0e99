/// A transaction in progress, whose writes are committed atomically; see ``KeyValueStore/transaction(attempts:_:)``.
///
/// Reads see one consistent snapshot of the store, overlaid with the transaction's own writes. If another writer changes data that the
/// transaction has read, the next read throws and the transaction is retried from the start.
public struct StoreTransaction {
    /// The default maximum number of attempts to commit a transaction.
    public static let defaultAttempts = 100

    private let store: any KeyValueStore
    /// The store revision at which all results read so far are known to be current.
    private var revision: UInt64?
    private var reads: [StoreKey: StoredValue?] = [:]
    private var listings: [(prefix: String, entries: [StoreEntry])] = []
    /// The pending writes, with one element per key, in the order in which the keys were first written.
    private var writes: [(key: StoreKey, value: StoredValue?)] = []
    /// The index of each key in ``writes``.
    private var places: [StoreKey: Int] = [:]
    /// The origin that is reported to observers of the commit.
    public var origin: StoreChange.Origin = .thisProcess
    /// Whether a read detected a conflict, which requires a retry even if the body returned a result.
    private var sawConflict = false
    /// The read that caused the conflict, or `nil` if that read is unknown.
    private var changedRead: ChangedRead?

    init(_ store: any KeyValueStore) { self.store = store }

    var issues: IssueChannel { store.issues }

    /// Returns the value under `key`, including uncommitted writes of this transaction.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: The value, or `nil` if there is no value.
    /// - Throws: ``StoreError`` if the read fails or conflicts. Don't catch the error: the transaction may have to be retried.
    public mutating func get(_ key: StoreKey) throws -> StoredValue? {
        if let place = places[key] { return writes[place].value }
        if let read = reads[key] { return read }
        try begin()
        let value = try store.get(key)
        reads[key] = .some(value)
        try confirm()
        return value
    }

    /// Returns the entries whose keys begin with exactly the bytes of `prefix`, including uncommitted writes of this transaction.
    ///
    /// - Parameter prefix: The prefix of the keys to list. An empty string lists all keys.
    /// - Returns: The entries, sorted by key bytes.
    /// - Throws: ``StoreError`` if the read fails or conflicts. Don't catch the error: the transaction may have to be retried.
    public mutating func entries(prefix: String = "") throws -> [StoreEntry] {
        try begin()
        let stored = try store.entries(prefix: prefix)
        listings.append((prefix, stored))
        try confirm()
        var merged = StoredDictionary(stored.lazy.map { ($0.key, $0.value) })
        for (key, value) in writes {
            let text = key.text
            if !key.isReserved, text.utf8.starts(with: prefix.utf8) { merged[text] = value }
        }
        return merged.map { StoreEntry(key: $0.key, value: $0.value) }
    }

    /// Adds a write of `value` under `key` to the transaction.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the key or the value is invalid.
    public mutating func set(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        write(value, for: key)
    }

    /// Adds a removal of `key` to the transaction.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``. Removing a missing key has no effect.
    /// - Throws: ``StoreError`` if the key is invalid.
    public mutating func remove(_ key: StoreKey) throws {
        try key.validate()
        write(nil, for: key)
    }

    /// The batch to commit, with an expectation for every read.
    var batch: StoreBatch {
        var batch = StoreBatch()
        batch.origin = origin
        for (key, value) in reads { batch.expect(value, at: key) }
        for (prefix, entries) in listings { batch.expect(entries, prefix: prefix) }
        for (key, value) in writes { batch.write(value, for: key) }
        return batch
    }

    private mutating func write(_ value: StoredValue?, for key: StoreKey) {
        let next = writes.count
        // One lookup suffices for a new key, the common case.
        guard let place = places.updateValue(next, forKey: key) else {
            return writes.append((key, value?.canonical))
        }
        places[key] = place
        writes[place].value = value?.canonical
    }

    private mutating func begin() throws {
        if revision == nil { revision = try store.revision }
    }

    /// The maximum number of times that ``confirm()`` repeats all reads while other writers keep changing the store.
    private static var mostConfirmations: Int { 100 }

    /// Verifies that all results read so far belong to one revision.
    ///
    /// If the store has changed, repeats the reads and compares the results.
    private mutating func confirm() throws {
        for _ in 0..<Self.mostConfirmations {
            let current = try store.revision
            if current == revision { return }
            revision = current
            if let change = try firstChangedRead() { try abandon(for: change) }
        }
        // Other writers commit so often that no revision was found at which all reads hold.
        try abandon(for: nil)
    }

    private mutating func abandon(for change: ChangedRead?) throws {
        sawConflict = true
        changedRead = change
        throw StoreError.conflict
    }
}

// MARK: - Attempts

extension StoreTransaction {
    /// A read of the transaction whose result has since changed.
    private enum ChangedRead {
        case value(StoreKey)
        case entries(prefix: String)
    }

    /// Runs `body` on this transaction.
    ///
    /// - Returns: The result of `body`, or `nil` if a read found a conflict, even if `body` caught the error.
    /// - Throws: The error that `body` throws, except after a conflict.
    mutating func run<Result>(_ body: (inout StoreTransaction) throws -> Result) throws -> Result? {
        let outcome = Swift.Result { try body(&self) }
        return sawConflict ? nil : try outcome.get()
    }

    private func firstChangedRead() throws -> ChangedRead? {
        for (key, value) in reads where try store.get(key) != value { return .value(key) }
        for (prefix, entries) in listings where try store.entries(prefix: prefix) != entries {
            return .entries(prefix: prefix)
        }
        return nil
    }

    /// Returns the error for a transaction whose last attempt has ended in a conflict.
    func conflict(after attempts: Int) -> StoreError {
        // Used only for the message, so a failing read is ignored.
        let change = changedRead ?? (try? firstChangedRead())
        let (what, key): (String, String?) =
            switch change {
            case .value(let key): ("the value for \(key)", key.text)
            case .entries(let prefix): ("the entries whose keys begin with \(prefix.debugDescription)", nil)
            case nil: ("data that it had read", nil)
            }
        return StoreError(
            .conflict,
            "The transaction was not committed after \(counted(attempts, "attempt")), because \(what) changed during each attempt. If its body writes to the store directly, write through the transaction instead; otherwise shorten the transaction, allow more attempts, or try again later.",
            key: key
        )
    }
}
