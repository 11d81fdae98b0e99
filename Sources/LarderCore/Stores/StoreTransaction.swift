/// Reads and writes that are committed together or not at all; see ``KeyValueStore/transaction(attempts:_:)``.
///
/// What it reads is of one moment of the store, with its own writes laid over it. When another writer changes something it
/// has read, the next read throws and the transaction runs again from the start.
public struct StoreTransaction {
    /// How many times a transaction runs its body at most when the caller names no number: 100.
    public static let defaultAttempts = 100

    private let store: any KeyValueStore
    /// The revision at which every read so far is known to hold.
    private var revision: UInt64?
    private var reads: [StoreKey: StoredValue?] = [:]
    private var listings: [(prefix: String, entries: [StoreEntry])] = []
    /// What is to be written, each key once, in the order of the first write.
    private var writes: [(key: StoreKey, value: StoredValue?)] = []
    /// Where in ``writes`` a key is.
    private var places: [StoreKey: Int] = [:]
    /// Where the writes come from, as observers will see it.
    public var origin: StoreChange.Origin = .thisProcess
    /// Whether a read found that something read before has changed: the body must run again, whatever it returned.
    private var sawConflict = false
    /// What was read and found changed, if it is known.
    private var changedRead: ChangedRead?

    init(_ store: any KeyValueStore) { self.store = store }

    /// Where issues of reads go.
    var issues: IssueChannel { store.issues }

    /// The value under `key`, this transaction's own writes included.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value, or `nil`.
    /// - Throws: ``StoreError``; let it pass, the transaction may be about to run again.
    public mutating func get(_ key: StoreKey) throws -> StoredValue? {
        if let place = places[key] { return writes[place].value }
        if let read = reads[key] { return read }
        try begin()
        let value = try store.get(key)
        reads[key] = .some(value)
        try confirm()
        return value
    }

    /// Every entry whose key begins with exactly the bytes of `prefix`, this transaction's own writes included.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Sorted by the bytes of the key.
    /// - Throws: ``StoreError``; let it pass, the transaction may be about to run again.
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

    /// Writes `value` under `key` when the transaction is committed.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` when key or value can never be stored.
    public mutating func set(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
        write(value, for: key)
    }

    /// Removes the value under `key` when the transaction is committed.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``; a missing one is no error.
    /// - Throws: ``StoreError`` when the key can never be stored.
    public mutating func remove(_ key: StoreKey) throws {
        try key.validate()
        write(nil, for: key)
    }

    /// What is to be committed: everything read must still hold.
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
        // One lookup for a key that is new, as most are.
        guard let place = places.updateValue(next, forKey: key) else {
            return writes.append((key, value?.canonical))
        }
        places[key] = place
        writes[place].value = value?.canonical
    }

    private mutating func begin() throws {
        if revision == nil { revision = try store.revision }
    }

    /// How many times all reads are repeated while other writers go on changing the store.
    private static var mostConfirmations: Int { 100 }

    /// Makes sure that everything read so far holds at one revision, reading it again when the store has moved on.
    private mutating func confirm() throws {
        for _ in 0..<Self.mostConfirmations {
            let current = try store.revision
            if current == revision { return }
            revision = current
            if let change = try firstChangedRead() { try abandon(for: change) }
        }
        // Writers of other keys are so fast that no moment was found at which all reads hold.
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
    /// Something that was read, and that the store no longer holds.
    private enum ChangedRead {
        case value(StoreKey)
        case entries(prefix: String)
    }

    /// Runs `body` on this transaction.
    ///
    /// - Returns: What `body` returned, or `nil` when a read found a conflict, whatever `body` did about it.
    /// - Throws: What `body` threw for another reason.
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

    /// The error of a transaction whose last attempt this was.
    func conflict(after attempts: Int) -> StoreError {
        // Only for the message: a store that can't be read has nothing to add to it.
        let change = changedRead ?? (try? firstChangedRead())
        let (what, key): (String, String?) =
            switch change {
            case .value(let key): ("the value for \(key)", key.text)
            case .entries(let prefix): ("the entries whose keys begin with \(prefix.debugDescription)", nil)
            case nil: ("what it had read", nil)
            }
        let count = attempts == 1 ? "1 attempt" : "\(attempts) attempts"
        return StoreError(
            .conflict,
            "The transaction gave up after \(count), and nothing was written: each time \(what) changed before it could commit. If the transaction's own body writes this to the store, write it through the transaction instead. If other writers do, try again later, make the transaction shorter, or allow more attempts.",
            key: key
        )
    }
}
