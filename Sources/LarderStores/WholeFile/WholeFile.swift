import LarderCore
import LarderFiles
import Synchronization

/// The state behind every store of one file in one process, for stores that keep all entries in memory and write the whole file.
///
/// Memory is a copy of the file as it was last seen. Every read looks whether the file is still that one; every commit holds
/// the lock file, reads what others have written, and puts a new file in the place of the old one before memory changes.
final class WholeFile<Format: WholeFileFormat>: Sendable {
    struct State {
        var content: Format.Content
        var revision: UInt64 = 0
        /// The file that `content` was read from; `nil` when there was none.
        var seen: FileInformation?
        /// Whether `content` is what `seen` says, rather than what it was before a failure.
        var isLoaded = false
        /// Held open, so that the file's number can't be given to a later one while we compare by it.
        var pin: (any OpenFile)?
        /// Problems of `content` that nobody was told yet.
        var untold: [StoreVerification.Problem] = []
    }

    /// Every symbolic link followed.
    let path: String
    let format: Format
    let fileSystem: any FileSystem
    let issues = IssueChannel(label: "larder." + Format.name.replacing(" ", with: "-"))
    let hub = StoreChangeHub()
    private let lockLimit: Duration
    private let state: Mutex<State>
    /// Held during a commit, so that threads of this process do not wait for the lock file while they hold `state`.
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

    /// Runs `body` on what the file holds now.
    func read<Result>(_ body: (State) throws -> Result) throws -> Result {
        defer { hub.deliver() }
        let (result, untold) = try state.withLock { state in
            try refresh(&state)
            return (try body(state), Self.take(&state.untold))
        }
        tell(untold)
        return result
    }

    /// The value under `key`.
    func value(for key: StoreKey) throws -> StoredValue? {
        try key.validate()
        return try read { $0.content.table[key] }
    }

    /// Brings the state up to what is on the disk.
    private func refresh(_ state: inout State) throws {
        let current = try StoreError.wrapping(path) { try format.current(at: path, on: fileSystem) }
        if state.isLoaded, current?.information == state.seen { return }
        // From here on a failure leaves the old entries, but nobody is shown them.
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
        state.untold = content.problems
    }

    /// How often a file is read again because it was exchanged meanwhile.
    private static var readingLimit: Int { 16 }

    /// The bytes of the file, or `nil` when there is none.
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
                    // What was written meanwhile may be half there.
                    if try format.current(at: path, on: fileSystem)?.information == information {
                        return (bytes, information, file)
                    }
                } catch let error as FileError where error.code == .notFound {
                    continue
                }
            }
            throw FileError(.busy, .read, path, detail: "it was exchanged each time it was read")
        }
    }

    func decode(_ bytes: [UInt8]) throws -> Format.Content {
        do {
            return try format.decode(bytes)
        } catch let damage as DocumentDamage {
            throw damaged(damage.reason, offset: damage.offset)
        } catch let error as StoreError {
            if error.code == .damaged { throw damaged(error.message, key: error.key) }
            throw StoreError(error.code, "\(path): \(error.message)", key: error.key, path: path)
        }
    }

    private func damaged(_ reason: String, key: String? = nil, offset: Int? = nil) -> StoreError {
        let place = offset.map { " at byte \($0)" } ?? ""
        return StoreError(
            .damaged,
            "The file \(path) (\(Format.name)) is damaged\(place): \(reason). It was left as it is; `larder repair` or `\(Format.storeType).repair(path:)` copies it aside and keeps what can be read.",
            key: key,
            path: path,
            offset: offset
        )
    }

    // MARK: - Writing

    /// Refuses what can't be written, whatever the file holds.
    func check(_ batch: StoreBatch) throws {
        try batch.validate()
        try format.check(batch)
    }

    /// Carries out `batch`, or nothing.
    func commit(_ batch: StoreBatch, _ durability: Durability) throws -> Bool {
        try check(batch)
        let (isCommitted, unconfirmed) = try locked(batch)
        guard let unconfirmed else { return isCommitted }
        let error = StoreError.unconfirmed(path, by: unconfirmed)
        if durability == .synced { throw error }
        issues.report(LarderIssue(.degraded, error.message, underlying: unconfirmed))
        return isCommitted
    }

    /// Carries out `batch`, or nothing, and suspends meanwhile.
    func commit(_ batch: StoreBatch, _ durability: Durability) async throws -> Bool {
        try await withBlockingWork { try self.commit(batch, durability) }
    }

    /// - Returns: Whether it was carried out, and what to report once no lock is held.
    private func locked(_ batch: StoreBatch) throws -> (isCommitted: Bool, unconfirmed: FileError?) {
        try withCurrentState { state in
            guard state.content.table.fulfils(batch) else { return (false, nil) }
            var next = state.content
            let change = next.apply(batch)
            if change.isEmpty { return (true, nil) }
            if let problem = next.problems.first {
                throw damaged(
                    "\(problem.message) A file that can't be read fully is not written to",
                    key: problem.key,
                    offset: problem.offset
                )
            }
            let unconfirmed = try replace(with: next, in: &state)
            state.revision &+= 1
            hub.publish(change.published)
            return (true, unconfirmed)
        }
    }

    /// Makes the file, with nothing in it, where there is none.
    func make() throws {
        let unconfirmed = try withCurrentState { state in
            state.seen == nil ? try replace(with: state.content, in: &state) : nil
        }
        if let unconfirmed { throw StoreError.unconfirmed(path, by: unconfirmed) }
    }

    /// Runs `body` on what the file holds now, with every other writer kept out; then tells, no lock being held any more, what was found
    /// and changed.
    private func withCurrentState<Result: Sendable>(_ body: (inout State) throws -> Result) throws -> Result {
        defer {
            hub.deliver()
            tell(state.withLock { Self.take(&$0.untold) })
        }
        return try withCommitLock {
            try state.withLock { state in
                try refresh(&state)
                return try body(&state)
            }
        }
    }

    /// Keeps every other writer out, of this process and of others.
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

    /// Puts a file with `content` in place, then `content` into memory.
    ///
    /// - Returns: Why the disk did not confirm a file that is in place, if it did not.
    private func replace(with content: Format.Content, in state: inout State) throws -> FileError? {
        let bytes = try format.encode(content)
        let unconfirmed = try StoreError.wrapping(path) {
            try format.replace(path, seen: state.seen, with: bytes, on: fileSystem)
        }
        state.content = content
        state.isLoaded = false
        // A failure here costs only reading the file again.
        if let file = try? fileSystem.open(path, .reading), let information = try? file.information() {
            state.pin = file
            state.seen = information
            state.isLoaded = true
        }
        return unconfirmed
    }

    /// Waits until the disk has confirmed the file and its name.
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

    /// Waits until the disk has confirmed the file and its name, and suspends meanwhile.
    func flush() async throws { try await withBlockingWork { try self.flush() } }

    // MARK: - Checking

    /// Reads the file again from the disk and checks all of it.
    func verify() throws -> StoreVerification {
        do {
            guard let bytes = try contents()?.bytes else { return StoreVerification(checkedEntries: 0) }
            let content = try decode(bytes)
            var verification = content.table.verification()
            verification.problems += content.problems
            return verification
        } catch let error as StoreError where error.code == .damaged {
            return StoreVerification(
                checkedEntries: 0,
                problems: [.init(error.message, key: error.key, offset: error.offset)]
            )
        }
    }

    /// Reports what could not be read; no lock may be held.
    private func tell(_ problems: [StoreVerification.Problem]) {
        for problem in problems {
            let place = problem.offset.map { " at byte \($0)" } ?? ""
            issues.report(
                LarderIssue(
                    .damaged,
                    "In \(path)\(place): \(problem.message) The other entries were read.",
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
