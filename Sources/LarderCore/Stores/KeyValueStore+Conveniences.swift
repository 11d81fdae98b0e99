// What every store can do, built from the requirements of KeyValueStore.
extension KeyValueStore {
    /// Checks what every store does: the key's length and room, and that the value may stand at the top level.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue`.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        try key.validate()
        try value.validate(under: key)
    }

    /// Keeps `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`, which only stands inside arrays and dictionaries.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: StoreKey) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try commit(batch)
    }

    /// Removes the value under `key`.
    ///
    /// A missing key is no error.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the value is still there.
    public func remove(_ key: StoreKey) throws {
        var batch = StoreBatch()
        batch.remove(key)
        _ = try commit(batch)
    }

    /// Whether there is a value under `key`.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func contains(_ key: StoreKey) throws -> Bool { try get(key) != nil }

    /// The keys that begin with exactly the bytes of `prefix`, sorted by their bytes.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Whole keys, prefix included.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func keys(prefix: String = "") throws -> [String] { try entries(prefix: prefix).map(\.key) }

    /// How many keys begin with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty text counts everything.
    /// - Returns: Zero or more.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func count(prefix: String = "") throws -> Int { try entries(prefix: prefix).count }

    /// Every entry, sorted by key.
    ///
    /// - Returns: The entries at one moment.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func entries() throws -> [StoreEntry] { try entries(prefix: "") }

    /// The commits from now on, in commit order, of keys that begin with `prefix`.
    ///
    /// - Parameter prefix: The empty text means all.
    /// - Returns: A sequence that keeps up to 1,024 unread commits; see ``StoreChangeBuffering``.
    public func changes(prefix: String = "") -> StoreChanges { changes(prefix: prefix, buffering: .all()) }

    /// Writes `new` under `key` if the value there is `expected`, in one step that no other writer can come between.
    ///
    /// - Parameters:
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - expected: The value that must be there; `nil` for none.
    ///   - new: The value to write; `nil` to remove.
    /// - Returns: Whether it was written.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func compareAndSet(_ key: StoreKey, expecting expected: StoredValue?, to new: StoredValue?) throws -> Bool {
        var batch = StoreBatch()
        batch.expect(expected, at: key)
        batch.write(new, for: key)
        return try commit(batch)
    }

    /// Makes a change to several keys at once: all of it is seen and kept, or none.
    ///
    /// `body` reads and writes through the transaction it is given; its reads are of one moment. No lock is held meanwhile:
    /// when another writer changed what `body` read, its writes are dropped and **it runs again**, so it should have no
    /// other effects. It may call the store itself; such calls are not part of the transaction.
    ///
    /// - Parameter body: Reads and writes. Throwing abandons the transaction.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw, or ``StoreError``; then nothing was changed.
    public func transaction<Result>(_ body: (inout StoreTransaction) throws -> Result) throws -> Result {
        while true {
            var transaction = StoreTransaction(self)
            let outcome = Swift.Result { try body(&transaction) }
            if transaction.sawConflict { continue }
            let result = try outcome.get()
            if try commit(transaction.batch) { return result }
        }
    }
}

// MARK: - With a chosen durability

extension KeyValueStore {
    /// Keeps `value` under `key`; returns when the commit has the given durability.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``. Then the earlier value is still there, unless the error says that the commit was made and that the
    ///   disk then did not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await set(_:for:durability:)`.")
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try commit(batch, durability: durability)
    }

    /// The suspending form of ``set(_:for:durability:)-(StoredValue,_,_)``.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: Checked by ``StoreKey/validate()``.
    ///   - durability: How far the commit has come when this returns.
    /// - Throws: ``StoreError``. Then the earlier value is still there, unless the error says that the commit was made and that the
    ///   disk then did not confirm it.
    public func set(_ value: StoredValue, for key: StoreKey, durability: Durability) async throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        _ = try await commit(batch, durability: durability)
    }
}

// MARK: - Texts as keys

extension KeyValueStore {
    /// The value under `key`, or `nil`.
    ///
    /// See `get(_:)` of a ``StoreKey``.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the store cannot be read.
    @inlinable
    public func get(_ key: String) throws -> StoredValue? { try get(StoreKey(key)) }

    /// Keeps `value` under `key`.
    ///
    /// See `set(_:for:)`.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`.
    ///   - key: The whole key.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    public func set(_ value: StoredValue, for key: String) throws { try set(value, for: StoreKey(key)) }

    /// Removes the value under `key`.
    ///
    /// See ``remove(_:)-(StoreKey)``.
    ///
    /// - Parameter key: The whole key.
    /// - Throws: ``StoreError``; then the value is still there.
    public func remove(_ key: String) throws { try remove(StoreKey(key)) }

    /// Whether there is a value under `key`.
    ///
    /// - Parameter key: The whole key.
    /// - Returns: `true` for any value.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func contains(_ key: String) throws -> Bool { try contains(StoreKey(key)) }
}
