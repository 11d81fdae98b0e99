/// A store that holds ``StoredValue``s under string keys.
///
/// Typed settings and data sources are built on this protocol.
///
/// Stores are thread-safe. Reads and buffered writes are synchronous. Operations that sync to disk (`flush()`, ``Durability/synced``
/// commits) also have a suspending form; their blocking form is unavailable in asynchronous code.
///
/// **A write that throws changes nothing**, in memory or on disk, with one exception that the error reports: a ``Durability/synced`` commit
/// that was made but could not be synced to disk. A write that has returned is visible to every later read of this store, on any thread.
/// ``Durability`` and ``StoreCapabilities`` describe what survives a crash.
///
/// **Implementing a store.** Implement the requirements below, call ``StoreKey/validate()`` first, keep one ``StoreChangeHub`` and one
/// ``IssueChannel``, and run `KeyValueStoreContract` (product `LarderTesting`) against the store.
public protocol KeyValueStore: Inspectable {
    /// The guarantees of this store beyond the common contract.
    var capabilities: StoreCapabilities { get }

    /// The channel that reports failures of calls that cannot throw.
    var issues: IssueChannel { get }

    /// A number that changes whenever any value of the store may have changed, in any process.
    ///
    /// Transactions compare revisions to verify that all of their reads belong to one snapshot. Revisions are not ordered, and are not
    /// comparable between processes or after the store is reopened.
    ///
    /// - Throws: ``StoreError`` if the store cannot be read.
    var revision: UInt64 { get throws }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value under `key`.
    /// - Throws: ``StoreError`` if the store cannot be read. A missing key is not an error.
    func get(_ key: StoreKey) throws -> StoredValue?

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// The default implementation converts the string to a ``StoreKey``. Stores may implement this method more efficiently.
    ///
    /// - Parameter key: The full key, which must pass ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set, or `nil` if there is no value under `key`.
    /// - Throws: ``StoreError`` if the store cannot be read. A missing key is not an error.
    func get(_ key: String) throws -> StoredValue?

    /// Returns the entries whose keys begin with exactly the bytes of `prefix`, sorted by the bytes of the full key.
    ///
    /// - Parameter prefix: The prefix of the keys to list. An empty string lists all keys. Reserved keys are never listed.
    /// - Returns: A consistent snapshot of the entries, in which no commit is partly visible.
    /// - Throws: ``StoreError`` if the store cannot be read.
    /// - Complexity: O(*n*) in the number of keys in the store, unless the store documents otherwise.
    func entries(prefix: String) throws -> [StoreEntry]

    /// Returns up to `limit` entries that follow a key, sorted by the bytes of the full key.
    ///
    /// Reading a large store page by page needs little memory. Each page is a consistent snapshot, unless the store documents otherwise, but
    /// commits may lie between two pages.
    ///
    /// - Parameters:
    ///   - key: The key that precedes the entries, which may be missing from the store, or `nil` to begin with the first entry.
    ///   - prefix: The prefix of the keys to list, compared bytewise. Reserved keys are never listed.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries, fewer than `limit` only if no further entry follows.
    /// - Throws: ``StoreError`` if the store cannot be read.
    /// - Complexity: That of ``entries(prefix:)``, unless the store documents otherwise.
    func entries(after key: String?, prefix: String, limit: Int) throws -> [StoreEntry]

    /// Commits all or none of the writes in `batch`, and blocks until the commit has the given durability.
    ///
    /// `set(_:for:)`, `remove(_:)`, ``compareAndSet(_:expecting:to:)`` and ``transaction(attempts:_:)`` are built on this call. A commit
    /// that leaves every key unchanged notifies no observer.
    ///
    /// - Parameters:
    ///   - batch: The batch to commit, which contains the writes and the expectations.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: ``StoreError`` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    @available(*, noasync, message: "This call may block on disk I/O. Use `try await commit(_:durability:)`.")
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool

    /// Commits all or none of the writes in `batch`, and suspends until the commit has the given durability.
    ///
    /// The caller's thread is not blocked while the commit waits for disk I/O, a compaction, or a lock that another thread or process
    /// holds. A store that may have to wait does so on a thread outside Swift's cooperative pool.
    ///
    /// - Parameters:
    ///   - batch: The batch to commit, which contains the writes and the expectations.
    ///   - durability: The durability to wait for.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: ``StoreError`` if the commit fails. Nothing is changed, unless the error says that the commit was made but could not be
    ///   synced to disk.
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool

    /// Commits all or none of the writes in `batch`, with ``Durability/buffered``.
    ///
    /// This call is available in synchronous and asynchronous code.
    ///
    /// - Parameter batch: The batch to commit, which contains the writes and the expectations.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold and nothing was changed.
    /// - Throws: ``StoreError`` if the commit fails. A failed commit changes nothing.
    func commit(_ batch: StoreBatch) throws -> Bool

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any previous value.
    ///
    /// The default implementation commits a batch with a single write. Stores may implement this method more efficiently.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`. Nulls are valid only inside arrays and dictionaries.
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the write fails. A failed write keeps the previous value.
    func set(_ value: StoredValue, for key: StoreKey) throws

    /// Writes `value` under `key` with ``Durability/buffered``, replacing any previous value.
    ///
    /// The default implementation converts the string to a ``StoreKey``. Stores may implement this method more efficiently.
    ///
    /// - Parameters:
    ///   - value: The value to write, which must not be `.null`. Nulls are valid only inside arrays and dictionaries.
    ///   - key: The full key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the write fails. A failed write keeps the previous value.
    func set(_ value: StoredValue, for key: String) throws

    /// Removes the value under `key`.
    ///
    /// Removing a missing key has no effect.
    ///
    /// - Parameter key: The key, which must pass ``StoreKey/validate()``.
    /// - Throws: ``StoreError`` if the removal fails. A failed removal keeps the value.
    func remove(_ key: StoreKey) throws

    /// Atomically writes `new` under `key` if the current value is `expected`.
    ///
    /// The default implementation commits a batch with one write and one expectation. Stores may implement this method more efficiently.
    ///
    /// - Parameters:
    ///   - key: The key, which must pass ``StoreKey/validate()``.
    ///   - expected: The expected current value, or `nil` if the key must be absent.
    ///   - new: The value to write, or `nil` to remove the key.
    /// - Returns: `true` if the write was made, or `false` if the current value differs from `expected`.
    /// - Throws: ``StoreError`` if the write fails. A failed write changes nothing.
    func compareAndSet(_ key: StoreKey, expecting expected: StoredValue?, to new: StoredValue?) throws -> Bool

    /// Checks that the store accepts `value` under `key`, without reading the current value.
    ///
    /// The default implementation makes the checks that are common to all stores. A store that does not support all kinds of values rejects
    /// the other kinds both here and in each commit.
    ///
    /// - Parameters:
    ///   - value: The value to be written.
    ///   - key: The key under which to write the value.
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue`, as a commit would.
    func validate(_ value: StoredValue, for key: StoreKey) throws

    /// Makes all earlier commits as durable as this store supports, and blocks until they are synced to disk.
    ///
    /// - Throws: ``StoreError`` if the commits could not be synced to disk. The values in memory are unaffected.
    @available(*, noasync, message: "This call blocks on disk I/O. Use `try await flush()`.")
    func flush() throws

    /// Makes all earlier commits as durable as this store supports, and suspends until they are synced to disk.
    ///
    /// - Throws: ``StoreError`` if the commits could not be synced to disk. The values in memory are unaffected.
    func flush() async throws

    /// Returns a sequence of the commits that are made after this call, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence for a single reader, which ends when the reader's task is canceled or the store is closed.
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges

    /// Calls `handler` for every commit that is made after this call, in commit order, one call at a time.
    ///
    /// The handler runs after the commit is visible, on a committing thread or on a thread of the store, while no lock is held. If another
    /// thread is already calling handlers, that thread makes the call, and the committing call may return first. The handler may read,
    /// write, and cancel its own observation; the handler's writes are delivered after the handler returns.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - handler: A closure that is called with one event per commit.
    /// - Returns: The observation, which ends when it is canceled or released.
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation

    /// Reads and checks the entire store.
    ///
    /// - Returns: The number of checked entries and all problems found.
    /// - Throws: ``StoreError`` if the check could not be carried out.
    func verify() throws -> StoreVerification
}
