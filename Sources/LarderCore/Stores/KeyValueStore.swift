/// A place that keeps ``StoredValue``s under text keys: the one thing every Larder feature is built on.
///
/// Stores are safe to use from any thread and any task. Reads and buffered writes are synchronous; only what waits for the
/// disk (`flush()`, ``Durability/synced`` commits) has a suspending form too, and its blocking form is unavailable
/// in asynchronous code.
///
/// **A write that throws changed nothing**, in memory or on disk, with one exception that the error names: a
/// ``Durability/synced`` commit that was made, and that the disk then did not confirm. A write that returned is seen by every later read of this
/// store, from any thread; what survives a crash is said by ``Durability`` and ``StoreCapabilities``.
///
/// **Writing a store of your own.** Implement the requirements below, call ``StoreKey/validate()`` first, keep one
/// ``StoreChangeHub`` and one ``IssueChannel``, and run `KeyValueStoreContract` (product `LarderTesting`) against it.
public protocol KeyValueStore: Inspectable {
    /// What this store promises beyond the common contract.
    var capabilities: StoreCapabilities { get }

    /// Where failures go that no call could throw.
    var issues: IssueChannel { get }

    /// A number that has changed whenever any value of the store may have changed, whoever changed it.
    ///
    /// Transactions compare it to know that everything they read is of one moment. It says nothing about order or amount
    /// and means nothing in another process or after reopening.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read.
    var revision: UInt64 { get throws }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the store cannot be read; never for a missing key.
    func get(_ key: StoreKey) throws -> StoredValue?

    /// The value under `key`, or `nil` when there is none.
    ///
    /// The default makes a ``StoreKey`` of the text; a store that can do without has its own.
    ///
    /// - Parameter key: The whole key, checked as ``StoreKey/validate()`` does.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the store cannot be read; never for a missing key.
    func get(_ key: String) throws -> StoredValue?

    /// Every entry whose key begins with exactly the bytes of `prefix`, sorted by the bytes of the whole key.
    ///
    /// - Parameter prefix: The empty text lists everything. Reserved keys are never listed.
    /// - Returns: The entries at one moment: no commit is seen in part.
    /// - Throws: ``StoreError`` when the store cannot be read.
    /// - Complexity: O(*n*) in the number of keys in the store unless the store says otherwise.
    func entries(prefix: String) throws -> [StoreEntry]

    /// Carries out all writes of `batch`, or none.
    ///
    /// The primitive under `set(_:for:)`, `remove(_:)`, ``compareAndSet(_:expecting:to:)`` and
    /// ``transaction(attempts:_:)``. A commit in which every write leaves its key as it was publishes no change.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write; see ``StoreBatch``.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation of the batch did not hold; then nothing was changed.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool

    /// The suspending form of `commit(_:durability:)`.
    ///
    /// The caller's thread is free while the commit waits: for the disk, for a lock that another thread or process holds, or for a
    /// compaction. A store that may wait does so on a thread outside Swift's cooperative pool.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: How far the commit has come when this returns.
    /// - Returns: `false` when an expectation of the batch did not hold; then nothing was changed.
    /// - Throws: ``StoreError``. Then nothing was changed, unless the error says that the commit was made and that the disk then did
    ///   not confirm it.
    func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool

    /// A buffered `commit(_:durability:)`, for synchronous and asynchronous code alike.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation of the batch did not hold; then nothing was changed.
    /// - Throws: ``StoreError``; then nothing was changed.
    func commit(_ batch: StoreBatch) throws -> Bool

    /// Keeps `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// The default commits a batch of one write; a store to which that is a detour has its own.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`, which only stands inside arrays and dictionaries.
    ///   - key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    func set(_ value: StoredValue, for key: StoreKey) throws

    /// Writes `value` under `key`, replacing any earlier value, with ``Durability/buffered``.
    ///
    /// The default makes a ``StoreKey`` of the string; a store that can do without has its own.
    ///
    /// - Parameters:
    ///   - value: Anything but `.null`, which only stands inside arrays and dictionaries.
    ///   - key: The whole key, checked as ``StoreKey/validate()`` does.
    /// - Throws: ``StoreError``; then the earlier value is still there.
    func set(_ value: StoredValue, for key: String) throws

    /// Removes the value under `key`.
    ///
    /// A missing key is no error.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Throws: ``StoreError``; then the value is still there.
    func remove(_ key: StoreKey) throws

    /// Checks that the store would take `value` under `key`, without looking at what is there.
    ///
    /// The default checks what every store does. A store that can't hold every kind refuses the others here and in each commit.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError`` with code `keyTooLong`, `reservedKey` or `unsupportedValue`, as a commit would.
    func validate(_ value: StoredValue, for key: StoreKey) throws

    /// Makes every commit so far as durable as this store can.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm. Nothing is lost from memory then.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    func flush() throws

    /// The suspending form of `flush()`.
    ///
    /// - Throws: ``StoreError`` when the medium did not confirm. Nothing is lost from memory then.
    func flush() async throws

    /// The commits from now on, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes; the empty text means all.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader. It ends when its task is cancelled or the store is closed.
    func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges

    /// Calls `handler` for every commit from now on, in commit order, one call at a time.
    ///
    /// The handler runs outside every lock, after the commit is visible, on a thread that is committing or on one of the store's own:
    /// where another thread is calling handlers already, that one calls it, and the call that committed may return before. It may
    /// read, write and cancel its own observation; what it writes is delivered after it returns.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes; the empty text means all.
    ///   - handler: Called with one event a commit.
    /// - Returns: The observation; it ends when cancelled or released.
    func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation

    /// Reads everything and checks it.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the check itself could not be carried out.
    func verify() throws -> StoreVerification
}
