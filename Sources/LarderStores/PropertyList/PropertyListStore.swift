public import LarderCore
package import LarderFiles

/// A store in one property-list file, which any program and any text editor can read:
/// `Documentation/Formats/property-list-v1.md`.
///
/// Every commit makes the whole file anew, synced, and puts it in the place of the old one in one step: so a crash leaves the
/// old file or the new one, and each commit costs 0.3 ms or more and grows with the file. For settings that change often use a
/// store that writes entries.
///
/// Several processes may use the file; they wait for each other by a lock file beside it, at most five seconds. Several
/// instances of one path in one process share their state.
public final class PropertyListStore: KeyValueStore {
    /// How the file is written.
    public struct Encoding: Sendable, Hashable {
        let form: PropertyListDocument.Encoding

        /// Text that people and version control can read: the default.
        public static let xml = Encoding(form: .xml)
        /// `bplist00`: smaller.
        public static let binary = Encoding(form: .binary)
    }

    /// What opening does when the file is damaged.
    public typealias DamagePolicy = StoreFileDamagePolicy
    /// What a repair found and did.
    public typealias Repair = StoreFileRepair

    /// Durable and shared between processes, at the price of writing the whole file each time.
    public let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        writeCost: .wholeStore,
        limitations: [
            "Every commit writes the whole file.",
            "Changes of other processes are noticed at the next read or commit, several commits as one change.",
        ]
    )
    /// Where failures go that no call could throw.
    public var issues: IssueChannel { file.issues }
    /// The path of the file, symbolic links followed.
    public var inspectionName: String { file.path }
    /// "property list".
    public var inspectionKind: String { "property list" }
    /// The path of the file, symbolic links followed.
    public var path: String { file.path }

    let file: WholeFile<PropertyListFileFormat>

    /// Opens the store in the file at `path`, and reads it.
    ///
    /// A missing file is an empty store and is made by the first commit.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created with mode 0700 when the first commit finds it missing, the file with 0600.
    ///   - encoding: For a file that is new; an existing one keeps its own.
    ///   - whenDamaged: What to do when the file is damaged.
    /// - Throws: ``StoreError`` with code `damaged`, the path and the offset where it is known; `newerFormat`;
    ///   `invalidConfiguration` for a list that may be good, such as a keyed archive or UTF-16, but is not read here;
    ///   `notPermitted`; `tooManyOpenFiles`; `inputOutput`. The file is as it was.
    public convenience init(
        path: String,
        encoding: Encoding = .xml,
        whenDamaged: DamagePolicy = .refuse
    ) throws {
        try self.init(.shared(path: path, format: .init(encoding: encoding.form)), whenDamaged: whenDamaged)
    }

    /// Opens the store on any file system, sharing nothing with other instances: to its file they are another process.
    package convenience init(
        path: String,
        encoding: Encoding = .xml,
        whenDamaged: DamagePolicy = .refuse,
        on fileSystem: any FileSystem,
        lockLimit: Duration = .seconds(5)
    ) throws {
        try self.init(
            WholeFile(path: path, format: .init(encoding: encoding.form), on: fileSystem, lockLimit: lockLimit),
            whenDamaged: whenDamaged
        )
    }

    private init(_ file: WholeFile<PropertyListFileFormat>, whenDamaged: DamagePolicy) throws {
        self.file = file
        try file.open(whenDamaged: whenDamaged)
    }

    /// Copies a damaged file aside, and puts what can be read of it in its place.
    ///
    /// The copy is `NAME.damaged-1` beside the file, or the next free number; it is on the disk before the file is touched, and
    /// nothing ever removes it. A file without damage, or no file, is left as it is.
    ///
    /// An XML file yields every entry in front of the damage and, if it is laid out as this store or Foundation does, every
    /// whole entry behind it. Of a binary file whose end is damaged nothing can be read.
    ///
    /// - Parameter path: The file.
    /// - Returns: What was found and done.
    /// - Throws: ``StoreError`` when the file cannot be read, was written by a newer version or is in a form that is not read here, or the copy cannot be made:
    ///   then the file is as it was.
    @discardableResult
    public static func repair(path: String) throws -> Repair {
        try WholeFile(path: path, format: PropertyListFileFormat(encoding: .xml)).repair()
    }

    /// A number that changes with every commit that changed a value, whichever process made it.
    public var revision: UInt64 { get throws { try file.read(\.revision) } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? { try file.value(for: key) }

    /// The entries whose key begins with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Sorted by key bytes.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] {
        try file.read(\.content.table).entries(prefix: prefix)
    }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: Both wait for the disk. They differ when it fails in the last step, with the new file in its place:
    ///     a `.buffered` commit stands and reports an issue.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed, except that a `.synced` commit throws `inputOutput` when the new
    ///   file is in place but the disk did not confirm its name: then it is seen by everybody and may not survive power loss.
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

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try file.flush() }

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    public func flush() async throws { try await file.flush() }

    /// The commits from now on, in commit order.
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
    /// Damage is a problem of the result, not an error.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the file cannot be read or was written by a newer version.
    public func verify() throws -> StoreVerification { try file.verify() }
}
