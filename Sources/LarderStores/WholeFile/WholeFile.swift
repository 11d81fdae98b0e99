import LarderCore
import LarderFiles
import Synchronization

/// The in-memory state of a store's file, shared by all stores in this process that use the file.
///
/// All entries are cached in memory. Every read first checks whether the file was replaced. Every commit acquires the lock file, reads the
/// changes of other processes, and replaces the file before it updates the cached entries.
final class WholeFile<Format: WholeFileFormat>: Sendable {
    struct State {
        var content: Format.Content
        var revision: UInt64 = 0
        /// Information about the file from which `content` was read, or `nil` if the file did not exist.
        var seen: FileInformation?
        /// Whether `content` matches the file that `seen` describes.
        ///
        /// After a failed read, `content` is outdated and must not be returned.
        var isLoaded = false
        /// The open file from which `content` was read.
        ///
        /// While the file is open, its inode number can't be reused, so a different inode number shows that the file was replaced.
        var pin: (any OpenFile)?
        /// The problems in `content` that have not been reported yet.
        var unreported: [StoreVerification.Problem] = []
    }

    /// The path of the file, with all symbolic links resolved.
    let path: String
    let format: Format
    let fileSystem: any FileSystem
    let issues = IssueChannel(label: "larder." + Format.name.replacing(" ", with: "-"))
    let hub = StoreChangeHub()
    private let lockLimit: Duration
    private let state: Mutex<State>
    /// A mutex that serializes commits in this process.
    ///
    /// Readers don't acquire this mutex, so readers never wait for the lock file.
    private let committing = Mutex<Void>(())

    init(
        path: String,
        format: Format,
        on fileSystem: any FileSystem = .local,
        lockLimit: Duration = .seconds(5)
    ) throws {
        self.fileSystem = fileSystem
        self.format = format
        self.lockLimit = lockLimit
        self.path = try StoreError.wrapping(path) { try fileSystem.resolvingLinks(in: path) }
        state = Mutex(State(content: format.empty))
    }

    deinit { hub.finish() }

    // MARK: - Reading

    /// Runs `body` on the current state of the file, and returns the result of `body`.
    func read<Result>(_ body: (State) throws -> Result) throws -> Result {
        defer { hub.deliver() }
        let (result, unreported) = try state.withLock { state in
            try refresh(&state)
            return (try body(state), Self.take(&state.unreported))
        }
        report(unreported)
        return result
    }

    /// Returns the value that is stored under `key`, or `nil` if there is no value.
    func value(for key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try read { $0.content.table[key] }
    }

    /// Rereads the file if it was replaced, and publishes the differences as changes with the origin `anotherProcess`.
    private func refresh(_ state: inout State) throws {
        let current = try StoreError.wrapping(path) { try format.current(at: path, on: fileSystem) }
        if state.isLoaded, current?.information == state.seen { return }
        // If reading fails from here on, the outdated entries stay in memory, but are not returned to readers.
        let wasLoaded = state.isLoaded
        state.isLoaded = false
        let found = try contents()
        let content = try found.map { try decode($0.bytes) } ?? format.empty
        if wasLoaded {
            let change = content.table.changes(since: state.content.table, origin: .anotherProcess)
            if !change.isEmpty {
                state.revision &+= 1
                hub.publish(change.published)
            }
        }
        state.content = content
        state.seen = found?.information
        state.pin = found?.file
        state.isLoaded = true
        state.unreported = content.problems
    }

    /// The maximum number of attempts to read the file while other processes keep replacing it.
    private static var readingLimit: Int { 16 }

    /// Returns a consistent snapshot of the file's bytes, or `nil` if there is no file.
    func contents() throws -> (bytes: [UInt8], information: FileInformation, file: any OpenFile)? {
        try StoreError.wrapping(path) {
            for _ in 0..<Self.readingLimit {
                guard let current = try format.current(at: path, on: fileSystem) else { return nil }
                do {
                    let file = try fileSystem.open(current.path, .reading)
                    let information = try file.information()
                    guard information.kind == .file else { throw FileError(.wrongKind, .read, path) }
                    guard information.size <= 1 << 30 else {
                        throw FileError(.unsupported, .read, path, detail: "it is larger than 1 GiB")
                    }
                    let bytes = try file.read(at: 0, count: information.size)
                    // A file that was written during the read may be incomplete.
                    if try format.current(at: path, on: fileSystem)?.information == information {
                        return (bytes, information, file)
                    }
                } catch let error as FileError where error.code == .notFound {
                    continue
                }
            }
            throw FileError(.busy, .read, path, detail: "another process replaced it during every read")
        }
    }

    func decode(_ bytes: [UInt8]) throws -> Format.Content {
        do {
            return try format.decode(bytes)
        } catch let damage as DocumentDamage {
            throw damaged(damage.reason, offset: damage.offset)
        } catch let error as StoreError {
            if error.code == .damaged { throw damaged(error.message, key: error.key) }
            throw StoreError(error.code, "\(path.debugDescription): \(error.message)", key: error.key, path: path)
        }
    }

    private func damaged(_ reason: String, key: String? = nil, offset: Int? = nil) -> StoreError {
        let place = offset.map { " at byte \($0)" } ?? ""
        let reason = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
        return StoreError(
            .damaged,
            "The \(Format.name) file \(path.debugDescription) is corrupt\(place) and was not changed: \(reason). Run `larder repair` or call `\(Format.storeType).repair(path:)` to make a backup copy and keep every readable entry.",
            key: key,
            path: path,
            offset: offset
        )
    }

    // MARK: - Writing

    /// Throws an error if `batch` contains a key or value that this file format can't hold.
    func check(_ batch: StoreBatch) throws {
        try batch.validate()
        try format.check(batch)
    }

    /// Commits `batch` and returns `true`, or returns `false` if an expectation of `batch` does not hold.
    func commit(_ batch: StoreBatch, _ durability: Durability) throws -> Bool {
        try durability.requireLocal()
        try check(batch)
        let (isCommitted, unconfirmed) = try locked(batch)
        guard let unconfirmed else { return isCommitted }
        let error = StoreError.unconfirmed(path, by: unconfirmed)
        if durability == .synced { throw error }
        issues.report(LarderIssue(.degraded, error.message, underlying: unconfirmed))
        return isCommitted
    }

    /// Commits `batch` and returns `true`, or returns `false` if an expectation of `batch` does not hold.
    ///
    /// Suspends the current task during disk I/O.
    func commit(_ batch: StoreBatch, _ durability: Durability) async throws -> Bool {
        try await withBlockingWork { try self.commit(batch, durability) }
    }

    /// Commits `batch` while holding the lock file.
    ///
    /// - Returns: Whether the batch was committed, and the error from a failed sync, which must be reported after all locks are released.
    private func locked(_ batch: StoreBatch) throws -> (isCommitted: Bool, unconfirmed: FileError?) {
        try withCurrentState { state in
            guard state.content.table.fulfills(batch) else { return (false, nil) }
            var next = state.content
            let change = next.apply(batch)
            if change.isEmpty { return (true, nil) }
            if let problem = next.problems.first {
                throw damaged(problem.message, key: problem.key, offset: problem.offset)
            }
            let unconfirmed = try replace(with: next, in: &state)
            state.revision &+= 1
            hub.publish(change.published)
            return (true, unconfirmed)
        }
    }

    /// Creates a file without entries if no file exists.
    func make() throws {
        let unconfirmed = try withCurrentState { state in
            state.seen == nil ? try replace(with: state.content, in: &state) : nil
        }
        if let unconfirmed { throw StoreError.unconfirmed(path, by: unconfirmed) }
    }

    /// Runs `body` on the current state of the file while holding the commit lock, and returns the result of `body`.
    ///
    /// Delivers changes and reports problems after all locks are released.
    private func withCurrentState<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
        defer {
            hub.deliver()
            report(state.withLock { Self.take(&$0.unreported) })
        }
        return try withCommitLock {
            try state.withLock { state in
                try refresh(&state)
                return try body(&state)
            }
        }
    }

    /// Runs `body` while holding the lock file, which excludes all other writers, and returns the result of `body`.
    func withCommitLock<Result>(_ body: () throws -> Result) throws -> Result {
        try committing.withLock { _ in
            let lock = try StoreError.wrapping(path) {
                let folder = FilePath.folder(of: path)
                if try fileSystem.information(at: folder, followingLinks: true) == nil {
                    try fileSystem.createDirectory(at: folder)
                }
                return try LockFile(at: path + ".lock", on: fileSystem).acquire(within: lockLimit)
            }
            defer { lock.release() }
            return try body()
        }
    }

    /// Replaces the file with one that contains `content`, and then updates the state in memory.
    ///
    /// - Returns: The error from a sync that failed after the new file was put in place, or `nil` if all syncs succeeded.
    private func replace(with content: Format.Content, in state: inout State) throws -> FileError? {
        let bytes = try format.encode(content)
        let unconfirmed = try StoreError.wrapping(path) {
            try format.replace(path, seen: state.seen, with: bytes, on: fileSystem)
        }
        state.content = content
        state.isLoaded = false
        // If the new file can't be opened, the next access reads it again.
        if let file = try? fileSystem.open(path, .reading), let information = try? file.information() {
            state.pin = file
            state.seen = information
            state.isLoaded = true
        }
        return unconfirmed
    }

    /// Syncs the file and its directory entry to disk, blocking the current thread.
    func flush() throws {
        try StoreError.wrapping(path) {
            do {
                guard let current = try format.current(at: path, on: fileSystem) else { return }
                let file = try fileSystem.open(current.path, .reading)
                try file.synchronize(.everything)
                try file.close()
                try fileSystem.synchronizeDirectory(at: FilePath.folder(of: path))
            } catch let error as FileError where error.code == .notFound {
                return
            }
        }
    }

    /// Syncs the file and its directory entry to disk, suspending the current task.
    func flush() async throws { try await withBlockingWork { try self.flush() } }

    // MARK: - Checking

    /// Reads the file from disk and checks its entire content.
    ///
    /// `progress` is called between the steps and while the entries are checked, and throws to cancel the check.
    func verify(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        do {
            try progress(StoreProgress(completed: 0, total: 1).asPart(0, of: 3))
            guard let bytes = try contents()?.bytes else { return StoreVerification(checkedEntries: 0) }
            try progress(StoreProgress(completed: 0, total: 1).asPart(1, of: 3))
            let content = try decode(bytes)
            var verification = try content.table.verification { try progress($0.asPart(2, of: 3)) }
            verification.problems += content.problems
            return verification
        } catch let error as StoreError where error.code == .damaged {
            return StoreVerification(
                checkedEntries: 0,
                problems: [.init(error.message, key: error.key, offset: error.offset)]
            )
        }
    }

    /// Reports each problem as an issue.
    ///
    /// The caller must not hold a lock.
    private func report(_ problems: [StoreVerification.Problem]) {
        for problem in problems {
            let place = problem.offset.map { " at byte \($0)" } ?? ""
            let reason = problem.message.hasSuffix(".") ? String(problem.message.dropLast()) : problem.message
            issues.report(
                LarderIssue(
                    .damaged,
                    "Part of \(path.debugDescription) can't be read\(place): \(reason). Repair the file before you write to it; all other entries can be read.",
                    key: problem.key
                )
            )
        }
    }

    private static func take(_ problems: inout [StoreVerification.Problem]) -> [StoreVerification.Problem] {
        guard !problems.isEmpty else { return [] }
        defer { problems = [] }
        return problems
    }
}
