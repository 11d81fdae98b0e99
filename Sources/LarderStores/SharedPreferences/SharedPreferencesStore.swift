public import LarderCore
package import LarderFiles

/// A store in a file of Android's `SharedPreferences`: <doc:SharedPreferences>.
///
/// It reads what Android wrote, and writes, byte for byte, what Android would; `Documentation/Formats/shared-preferences.md` says
/// how. Reading never changes anything in the file's folder. Each commit makes the whole file anew by Android's backup protocol, synced:
/// a crash leaves the old file or the new one.
///
/// **What it holds**: `bool`, `int`, `float`, `double`, `string`, and arrays of strings, none twice, which become sets and come back sorted.
/// Any other value is refused with `StoreError.Code.unsupportedValue`. An entry keeps Android's kind where the new value fits it:
/// a `double` set over a `<float>` that holds it exactly comes back as a `float`, a `float` set over a `<double>` as a `double`.
///
/// **What can't be read** of one entry is reported as an issue and by ``verify()``; the other entries can be read. While there is any
/// such thing nothing is written, until ``repair(path:)``. The same goes for a file that another program changes at the moment of a commit.
///
/// Several processes with this store may use the file, and several instances of one path in one process share their state. **Android**
/// itself knows no lock and keeps the file in memory: an app that runs there at the same time overwrites what was written here.
public final class SharedPreferencesStore: KeyValueStore {
    /// Durable and shared between processes that use this store, at the price of writing the whole file each time.
    public let capabilities = StoreCapabilities(
        survivesProcess: true,
        hasCrashAtomicTransactions: true,
        isSharedBetweenProcesses: true,
        reportsOtherProcesses: true,
        exactKinds: [.bool, .int, .float, .double, .string],
        writeCost: .wholeStore,
        limitations: [
            "Every commit writes the whole file.",
            "Arrays must be made of different strings and come back sorted; dates, data, URLs, dictionaries and unsigned numbers are refused.",
            "A double set over a <float> that holds it exactly becomes a float, a float set over a <double> becomes a double.",
            "Changes of other processes are noticed at the next read or commit, several commits as one change.",
            "A running Android app overwrites the file without looking.",
        ]
    )
    /// Where failures go that no call could throw, and entries that can't be read.
    public var issues: IssueChannel { file.issues }
    /// The path of the file, symbolic links followed.
    public var inspectionName: String { file.path }
    /// "shared preferences".
    public var inspectionKind: String { "shared preferences" }
    /// The path of the file, symbolic links followed.
    public var path: String { file.path }

    let file: WholeFile<SharedPreferencesFileFormat>

    /// Opens the store in the file at `path`, and reads it, or its backup `NAME.xml.bak` if there is one.
    ///
    /// A missing file is an empty store and is made by the first commit.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created with mode 0700 when the first commit finds it missing, the file with 0600.
    ///   - whenDamaged: What to do when the file, or an entry of it, is damaged.
    /// - Throws: ``StoreError`` with code `damaged` when the file as a whole is none of Android's, with the offset;
    ///   `invalidConfiguration` when it is in another encoding than UTF-8; `notPermitted`;
    ///   `tooManyOpenFiles`; `inputOutput`. The file is as it was.
    public convenience init(path: String, whenDamaged: StoreFileDamagePolicy = .refuse) throws {
        try self.init(.shared(path: path, format: SharedPreferencesFileFormat()), whenDamaged: whenDamaged)
    }

    /// Opens the store on any file system, sharing nothing with other instances: to its file they are another process.
    package convenience init(
        path: String,
        whenDamaged: StoreFileDamagePolicy = .refuse,
        on fileSystem: any FileSystem,
        lockLimit: Duration = .seconds(5)
    ) throws {
        let format = SharedPreferencesFileFormat()
        try self.init(
            WholeFile(path: path, format: format, on: fileSystem, lockLimit: lockLimit),
            whenDamaged: whenDamaged
        )
    }

    private init(_ file: WholeFile<SharedPreferencesFileFormat>, whenDamaged: StoreFileDamagePolicy) throws {
        self.file = file
        try file.open(whenDamaged: whenDamaged)
    }

    /// Copies a file that can't be read fully aside, and puts the entries that can be read in its place.
    ///
    /// The copy is `NAME.xml.damaged-1` beside the file, or the next free number; it is on the disk before the file is touched, and
    /// nothing ever removes it. A file that can be read fully, or no file, is left as it is.
    ///
    /// - Parameter path: The file.
    /// - Returns: What was found and done.
    /// - Throws: ``StoreError`` when the file cannot be read, is in another encoding than UTF-8, or the copy cannot be made: then the file is as it was.
    @discardableResult
    public static func repair(path: String) throws -> StoreFileRepair {
        try WholeFile(path: path, format: SharedPreferencesFileFormat()).repair()
    }

    /// A number that changes with every commit that changed a value, whichever process made it.
    public var revision: UInt64 { get throws { try file.read(\.revision) } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value as the file holds it.
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
    ///     a `.buffered` commit stands and reports an issue, a `.synced` one throws `inputOutput` and stands as well.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``, then nothing was changed but in the case above: `unsupportedValue`; `damaged` when
    ///   an entry of the file can't be read; `conflict` when another program changed the file meanwhile.
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

    /// Checks that Android's shared preferences hold `value`.
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
    /// What can't be read is a problem of the result, not an error.
    ///
    /// - Returns: What was checked, and every problem found.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func verify() throws -> StoreVerification { try file.verify() }
}
