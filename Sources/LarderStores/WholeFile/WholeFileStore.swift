public import LarderCore

/// A store in a single file that is replaced as a whole by each commit.
///
/// The subclasses ``PropertyListStore`` and ``SharedPreferencesStore`` differ in the file format, in the values that the file can hold, and
/// in how much `repair(path:)` recovers from a corrupt file.
public class WholeFileStore: KeyValueStore, @unchecked Sendable {
    // Sound: all state is constants of Sendable types, and only this module declares subclasses, which add no state.

    /// The capabilities of the store.
    ///
    /// The store is durable, can be shared between processes, and rewrites the entire file with each commit.
    public let capabilities: StoreCapabilities
    /// The channel for unreadable entries, and for failures that can't be thrown as errors.
    public var issues: IssueChannel { file.issues }
    /// The path of the file, with symbolic links resolved.
    public var inspectionName: String { file.path }
    /// The format of the file, which is "property list" or "shared preferences".
    public var inspectionKind: String { file.formatName }
    /// The path of the file, with symbolic links resolved.
    public var path: String { file.path }

    let file: any StoreFile

    /// Creates a store for `file` and reads the file.
    init(_ file: any StoreFile, _ capabilities: StoreCapabilities, whenDamaged: StoreFileDamagePolicy) throws {
        self.file = file
        self.capabilities = capabilities
        try file.open(whenDamaged: whenDamaged)
    }

    /// A number that changes with every commit that changes a value, in any process.
    public var revision: UInt64 { get throws { try file.revision() } }

    /// Returns the value under `key`, or `nil` if there is no value.
    ///
    /// - Parameter key: A key that passes `StoreKey.validate()`.
    /// - Returns: The value in the form in which the file stores it, or `nil` if there is no value for `key`.
    /// - Throws: `StoreError` if the key is invalid or the file cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try file.value(for: key) }

    /// Returns all entries whose keys begin with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The prefix of the keys to return. The empty string matches all keys.
    /// - Returns: The entries, sorted by key bytes.
    /// - Throws: `StoreError` if the file cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] { try file.entries(prefix: prefix) }

    /// Commits all writes of `batch` atomically and durably if its expectations hold.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: Both levels sync the file to disk. They differ only if the final sync fails after the new file has been put in
    ///     place. In that case, `.buffered` reports an issue, and `.synced` throws `inputOutput`. The commit takes effect in both cases,
    ///     but may be lost in a power loss.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError`. Nothing was changed, unless the final sync failed. A ``SharedPreferencesStore`` also throws
    ///   `unsupportedValue`, `damaged` if an entry of the file can't be read, and `conflict` if another program changed the file during the
    ///   commit.
    @available(
        *,
        noasync,
        message: "This call blocks the current thread on disk I/O. Use `try await commit(_:durability:)`."
    )
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try file.commit(batch, durability)
    }

    /// Commits all writes of `batch` atomically and durably if its expectations hold.
    ///
    /// Suspends the current task during disk I/O.
    ///
    /// - Parameters:
    ///   - batch: The expectations to check and the writes to make.
    ///   - durability: The durability level, with the same effect as in the blocking overload.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: The same errors as the blocking overload.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await file.commit(batch, durability)
    }

    /// Commits all writes of `batch` atomically and durably if its expectations hold.
    ///
    /// - Parameter batch: The expectations to check and the writes to make.
    /// - Returns: `true` if the batch was committed, or `false` if an expectation did not hold.
    /// - Throws: `StoreError` if the commit fails. A failed commit changes nothing.
    public func commit(_ batch: StoreBatch) throws -> Bool { try file.commit(batch, .buffered) }

    /// Checks that the file can hold `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: The value to check.
    ///   - key: The key to check.
    /// - Throws: The `StoreError` that a commit of `value` under `key` would throw.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        try file.check(batch)
    }

    /// Syncs the current file to disk, blocking the current thread.
    ///
    /// - Throws: `StoreError` if the file could not be synced to disk.
    @available(*, noasync, message: "This call blocks the current thread on disk I/O. Use `try await flush()`.")
    public func flush() throws { try file.flush() }

    /// Syncs the current file to disk, suspending the current task.
    ///
    /// - Throws: `StoreError` if the file could not be synced to disk.
    public func flush() async throws { try await file.flush() }

    /// Returns a sequence of the changes made by subsequent commits, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - buffering: The policy for commits that the reader has not read yet.
    /// - Returns: A sequence for a single reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        file.hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` after each subsequent commit.
    ///
    /// Calls are made one at a time, in commit order, while no lock is held.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys to observe, compared bytewise. An empty string matches all keys.
    ///   - handler: A closure that receives one event per commit.
    /// - Returns: The observation, which ends when it is canceled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        file.hub.observe(prefix: prefix, handler)
    }

    /// Reads the file from disk and checks its entire content.
    ///
    /// - Returns: The number of checked entries, and every problem found. Unreadable data is returned as a problem and not thrown as an
    ///   error.
    /// - Throws: `StoreError` if the file cannot be read or was written by a newer version.
    public func verify() throws -> StoreVerification { try file.verify { _ in } }

    /// Returns a consistent snapshot of the file's bytes, or `nil` if there is no file.
    ///
    /// - Throws: `StoreError` if the file cannot be read.
    package func fileContents() throws -> [UInt8]? { try file.contents()?.bytes }

    /// Creates a file without entries at ``path`` if there is no file.
    ///
    /// - Throws: `StoreError` if the file can't be created or synced to disk.
    package func makeFile() throws { try file.make() }
}
