/// Reads and writes that are committed together or not at all; see ``KeyValueStore/transaction(_:)``.
///
/// What it reads is of one moment of the store, with its own writes laid over it. When another writer changes something it
/// has read, the next read throws and the transaction runs again from the start.
public struct StoreTransaction {
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
    private(set) var sawConflict = false

    init(_ store: any KeyValueStore) { self.store = store }

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

    /// Makes sure that everything read so far holds at one revision, reading it again when the store has moved on.
    private mutating func confirm() throws {
        while true {
            let current = try store.revision
            if current == revision { return }
            revision = current
            for (key, value) in reads where try store.get(key) != value { try abandon() }
            for (prefix, entries) in listings where try store.entries(prefix: prefix) != entries { try abandon() }
        }
    }

    private mutating func abandon() throws {
        sawConflict = true
        throw StoreError.conflict
    }
}
