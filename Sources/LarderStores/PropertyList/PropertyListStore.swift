import Dispatch
import Foundation
public import LarderCore
package import LarderFiles
import Synchronization

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
    public struct DamagePolicy: Sendable, Hashable {
        private enum Choice { case refuse, quarantine }
        private let choice: Choice

        /// Throws ``StoreError/Code/damaged`` and leaves the file as it is: the default.
        public static let refuse = DamagePolicy(choice: .refuse)
        /// Does what ``PropertyListStore/repair(path:)`` does, reports a ``LarderIssue`` and opens.
        public static let quarantine = DamagePolicy(choice: .quarantine)
    }

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

    let file: PropertyListFile

    /// Opens the store in the file at `path`, and reads it.
    ///
    /// A missing file is an empty store and is made by the first commit.
    ///
    /// - Parameters:
    ///   - path: The file. Its folder is created with mode 0700 when the first commit finds it missing, the file with 0600.
    ///   - encoding: For a file that is new; an existing one keeps its own.
    ///   - whenDamaged: What to do when the file is damaged.
    /// - Throws: ``StoreError`` with code `damaged`, the path and the offset where it is known; `newerFormat`;
    ///   `notPermitted`; `inputOutput`. The file is as it was.
    public convenience init(
        path: String,
        encoding: Encoding = .xml,
        whenDamaged: DamagePolicy = .refuse
    ) throws {
        let file = try PropertyListFile.shared(path: path, encoding: encoding.form)
        try self.init(file, whenDamaged: whenDamaged)
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
            PropertyListFile(path: path, encoding: encoding.form, on: fileSystem, lockLimit: lockLimit),
            whenDamaged: whenDamaged
        )
    }

    private init(_ file: PropertyListFile, whenDamaged: DamagePolicy) throws {
        self.file = file
        do {
            try file.read { _ in }
        } catch let error as StoreError where error.code == .damaged && whenDamaged == .quarantine {
            let repair = try file.repair()
            issues.report(LarderIssue(.damaged, repair.description, underlying: error))
        }
    }

    /// A number that changes with every commit that changed a value, whichever process made it.
    public var revision: UInt64 { get throws { try file.read(\.revision) } }

    /// The value under `key`, or `nil` when there is none.
    ///
    /// - Parameter key: Checked by ``StoreKey/validate()``.
    /// - Returns: The value exactly as it was set.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func get(_ key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try file.read { $0.table[key] }
    }

    /// The entries whose key begins with exactly the bytes of `prefix`.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Sorted by key bytes.
    /// - Throws: ``StoreError`` when the file cannot be read.
    public func entries(prefix: String) throws -> [StoreEntry] { try file.read(\.table).entries(prefix: prefix) }

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
        try batch.validate()
        return try finish(file.commit(batch), durability)
    }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameters:
    ///   - batch: What must hold and what to write.
    ///   - durability: As in the blocking form.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``, as in the blocking form.
    public func commit(_ batch: StoreBatch, durability: Durability) async throws -> Bool {
        try batch.validate()
        return try finish(await Self.waiting { [file] in try file.commit(batch) }, durability)
    }

    /// Carries out all writes of `batch`, or none; the disk has confirmed them when this returns.
    ///
    /// - Parameter batch: What must hold and what to write.
    /// - Returns: `false` when an expectation did not hold.
    /// - Throws: ``StoreError``; then nothing was changed.
    public func commit(_ batch: StoreBatch) throws -> Bool {
        try batch.validate()
        return try finish(file.commit(batch), .buffered)
    }

    private func finish(
        _ outcome: (isCommitted: Bool, unconfirmed: FileError?),
        _ durability: Durability
    ) throws -> Bool {
        guard let unconfirmed = outcome.unconfirmed else { return outcome.isCommitted }
        let message =
            "The commit to \(path) is in place, but the disk did not confirm it: it may not survive a power loss."
        if durability == .synced { throw StoreError(.inputOutput, message, path: path, underlying: unconfirmed) }
        issues.report(LarderIssue(.degraded, message, underlying: unconfirmed))
        return outcome.isCommitted
    }

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    @available(*, noasync, message: "This call waits for the disk: use `try await flush()`.")
    public func flush() throws { try file.flush() }

    /// Waits until the disk has confirmed the file as it is.
    ///
    /// - Throws: ``StoreError`` when it did not.
    public func flush() async throws { try await Self.waiting { [file] in try file.flush() } }

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
    public func verify() throws -> StoreVerification {
        do {
            guard let bytes = try file.contents()?.bytes else { return StoreVerification(checkedEntries: 0) }
            return try PropertyListFile.decode(bytes, path: path).0.verification()
        } catch let error as StoreError where error.code == .damaged {
            return StoreVerification(
                checkedEntries: 0,
                problems: [.init(error.message, key: error.key, offset: error.offset)]
            )
        }
    }

    /// Runs `body` on a thread that may block, and suspends meanwhile.
    private static func waiting<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

extension PropertyListFile {
    private struct Weak {
        weak var file: PropertyListFile?
    }

    private static let files = Mutex<[String: Weak]>([:])

    /// The one state of the file at `path` in this process.
    fileprivate static func shared(path: String, encoding: PropertyListDocument.Encoding) throws -> PropertyListFile {
        // Absolute, so that it stays the same file when the process changes its folder.
        let path = FilePath.joining(FileManager.default.currentDirectoryPath, path)
        let new = try PropertyListFile(path: path, encoding: encoding, on: .local, lockLimit: .seconds(5))
        return files.withLock { files in
            if let file = files[new.path]?.file { return file }
            files = files.filter { $0.value.file != nil }
            files[new.path] = Weak(file: new)
            return new
        }
    }
}
