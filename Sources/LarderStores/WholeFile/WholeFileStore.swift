public import LarderCore

/// A store whose file is always all of it, and is replaced as a whole by each commit.
///
/// There are two: ``PropertyListStore`` and ``SharedPreferencesStore``. They differ in the format of the file, in the values that it
/// holds, and in what `repair(path:)` can read of a damaged one.
public class WholeFileStore: KeyValueStore, @unchecked Sendable {
    // Sound: all state is constants of Sendable types, and only this module has subclasses, which add none.

    /// Durable and shared between processes, at the price of writing the whole file each time.
    public let capabilities: StoreCapabilities
    /// Where failures go that no call could throw, and entries that can't be read.
    public var issues: IssueChannel { file.issues }
    /// The path of the file, symbolic links followed.
    public var inspectionName: String { file.path }
    /// What the file is called: "property list" or "shared preferences".
    public var inspectionKind: String { file.formatName }
    /// The path of the file, symbolic links followed.
    public var path: String { file.path }

    private let file: any StoreFile

    /// Opens a store in a file, and reads it.
    init(_ file: any StoreFile, _ capabilities: StoreCapabilities, whenDamaged: StoreFileDamagePolicy) throws {
        self.file = file
        self.capabilities = capabilities
        try file.open(whenDamaged: whenDamaged)
    }

    /// A number that changes with every commit that changed a value, whichever process made it.
    public var revision: UInt64 { get throws { try file.revision() } }

    /// Returns the value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value as the file holds it.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try file.value(for: key) }

    /// Returns the entries whose key begins with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty string lists everything.
    /// - Returns: The entries, sorted by key bytes.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] { try file.entries(prefix: prefix) }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both wait for the disk. They differ when it fails in the last step, with the new file in its place:
    ///     a `.buffered` commit stands and reports an issue, a `.synced` one throws `inputOutput` and stands as well; it may not
    ///     survive power loss.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed, but in the case above. A ``SharedPreferencesStore`` also throws
    ///   `unsupportedValue`, `damaged` when an entry of the file can't be read, and `conflict` when another program changed the file
    ///   meanwhile.
    @available(*, noasync, message: "This call may wait for the disk: use `try await commit(_:durability:)`.")
    public func commit(_ batch: StoreBatch, durability: Durability) throws -> Bool {
        try file.commit(batch, durability)
    }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: As in the blocking form.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``, as in the blocking form.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try await file.commit(batch, durability)
    }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool { try file.commit(batch, .buffered) }

    /// Checks that the file can hold `value` under `key`.
    ///
    /// - Parameters:
    ///   - value: What would be written.
    ///   - key: Where.
    /// - Throws: ``StoreError``, as a commit would.
    public func validate(_ value: StoredValue, for key: StoreKey) throws {
        var batch = StoreBatch()
        batch.set(value, for: key)
        try file.check(batch)
    }

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try file.flush() }

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    public func flush() async throws { try await file.flush() }

    /// Returns the commits from now on, in commit order.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - buffering: What to do when the reader falls behind.
    /// - Returns: A sequence for one reader.
    public func changes(prefix: String, buffering: StoreChangeBuffering) -> StoreChanges {
        file.hub.changes(prefix: prefix, buffering: buffering)
    }

    /// Calls `handler` for every commit from now on, in commit order, one call at a time, outside every lock.
    ///
    /// - Parameters:
    ///   - prefix: Only changes of keys that begin with exactly these bytes.
    ///   - handler: Called with one event a commit.
    /// - Returns: The observation; it ends when cancelled or released.
    public func observe(prefix: String, _ handler: @escaping @Sendable (StoreEvent) -> Void) -> StoreObservation {
        file.hub.observe(prefix: prefix, handler)
    }

    /// Reads the file again from the disk and checks all of it.
    ///
    /// What can't be read is a problem of the result, not an error.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the file cannot be read or was written by a newer version.
    public func verify() throws -> StoreVerification { try file.verify() }

    /// Returns the bytes of the file that counts, all of one moment; `nil` when there is none.
    ///
    /// - Throws: ``StoreError`` when it cannot be read.
    package func fileContents() throws -> [UInt8]? { try file.contents()?.bytes }

    /// Makes the file, with nothing in it, where there is none.
    ///
    /// - Throws: ``StoreError`` when it cannot be made, or the disk does not confirm it.
    package func makeFile() throws { try file.make() }
}
