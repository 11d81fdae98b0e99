#if Objects
internal import Dispatch
internal import LarderCore
package import LarderFiles
internal import Synchronization

/// The lock that a manager holds while it writes to its database, so that all managers in all processes write one after another.
///
/// The lock is in shared memory, in the file `FILE-writer`. If its holder is killed, the next waiter acquires the lock within 20 ms. Where
/// shared memory can't be used, the lock is a file lock, which is not fair. See decision 0062.
package final class WriterLock: Sendable {
    private enum Kind: Sendable {
        case memory(SharedLock, WriterPage, any OpenFile)
        case file(LockFile)
        /// No lock, because no other manager can have the database open, or because this manager does not write.
        case none
    }

    /// The suffix of the lock file's name.
    package static let suffix = "-writer"

    /// What a writer does, for error messages.
    package enum Purpose: Sendable { case saving, opening }

    private let path: String
    private let kind: Kind
    /// The file of a lock in shared memory, or `nil` for another kind of lock.
    private let members: WriterMembers.File?
    private let handOver = SharedLock.HandOver()
    /// A semaphore that admits one thread at a time, because a member of a ``SharedLock`` must not be used by several threads.
    private let turn = DispatchSemaphore(value: 1)
    private let isClosed = Atomic<Bool>(false)
    private let forkGeneration = CurrentProcess.forkGeneration

    /// Opens or creates the lock file of a database.
    ///
    /// All processes on a machine use the same kind of lock, which depends on the platform and the file system.
    ///
    /// - Parameters:
    ///   - place: The path of the database file, without symbolic links.
    ///   - path: The path of the database for error messages.
    ///   - files: The file system that contains the database.
    /// - Throws: ``FileError``, or ``ObjectError`` if the file is not a lock file.
    package init(at place: String, path: String, files: any FileSystem) throws {
        self.path = path
        let name = place + Self.suffix
        // The file must exist while the database is open, so that its removal is detected.
        let file = try files.open(name, FileOpenMode(isWritable: true, creation: .ifMissing))
        // A lock file on a network volume also excludes processes on other machines, which have no common memory.
        guard SharedWord.isSupported, try files.volume(at: FilePath.folder(of: place)).isNetwork != true,
            try Self.hasByteLocks(file)
        else {
            try file.close()
            (kind, members) = (.file(LockFile(at: name, on: files)), nil)
            return
        }
        do {
            let page = try WriterPage(of: file)
            let lock = try SharedLock(word: page.word, lastMember: page.lastMember, file: file)
            let members = WriterMembers.File(try file.information())
            WriterMembers.shared.add(lock.member, to: members)
            (kind, self.members) = (.memory(lock, page, file), members)
        } catch let error as FileError where error.code == .unsupported {
            (kind, members) = (.file(LockFile(at: name, on: files)), nil)
        } catch is WriterPage.UnknownLayout {
            throw ObjectError(
                .inaccessible,
                "The lock file \"\(name)\" was written by another program or by a newer version of Larder. Update this program, or delete "
                    + "the file if no program has the database open.",
                path: path
            )
        }
    }

    private init() {
        path = ""
        (kind, members) = (.none, nil)
    }

    /// Returns whether the system has byte-range locks, which a ``SharedLock`` needs.
    ///
    /// Without them, the file must not be mapped, because its first bytes are the text of a ``LockFile``.
    private static func hasByteLocks(_ file: any OpenFile) throws -> Bool {
        do {
            _ = try file.isHeld(1)
            return true
        } catch let error as FileError where error.code == .unsupported {
            return false
        }
    }

    /// Creates a lock that admits every writer, for a database that no other manager can open or that is opened read-only.
    package static func notNeeded() -> WriterLock { WriterLock() }

    deinit { close() }

    /// Runs `body` while holding the lock.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait for other writers.
    ///   - purpose: What `body` does, for error messages.
    ///   - body: A closure that writes to the database. It must not acquire the lock again.
    /// - Returns: The result of `body`.
    /// - Throws: ``ObjectError`` with code `busy` if another writer held the lock until the limit, or with code `inaccessible` if the lock
    ///   file can't be used; `body` is then not called. Otherwise, the error that `body` throws.
    package func holding<Result>(
        within limit: Duration,
        for purpose: Purpose = .saving,
        _ body: () throws -> Result
    ) throws -> Result {
        if case .none = kind { return try body() }
        let deadline = ContinuousClock.now + limit
        guard turn.wait(timeout: .now() + limit.dispatchInterval) == .success else { throw busy(.this, purpose) }
        defer { turn.signal() }
        guard !isClosed.load(ordering: .relaxed) else {
            throw ObjectError(
                .expired,
                "\(purpose.failure) because the manager was closed. Open a new one.",
                path: path
            )
        }
        let release = try acquire(within: deadline - .now, purpose)
        defer { release() }
        return try body()
    }

    /// Acquires the lock between processes, and returns a closure that releases the lock.
    private func acquire(within limit: Duration, _ purpose: Purpose) throws -> () -> Void {
        do {
            switch kind {
            case .none: return {}
            case .file(let file):
                let held = try file.acquire(within: limit)
                return { held.release() }
            case .memory(let lock, let page, _):
                // A holder that died leaves nothing to repair, because SQLite ignores what was not committed.
                guard try lock.lock(within: limit) != .timedOut else {
                    throw busy(holder(lock, page), purpose)
                }
                page.process = UInt32(bitPattern: CurrentProcess.identifier)
                // The lock can't be released only if the file was truncated, in which case no other process sees the lock.
                let release = { [handOver] in
                    page.process = 0
                    try? lock.unlock(handOver)
                }
                guard !page.isLost else {
                    release()
                    throw unusable(purpose, nil)
                }
                return release
            }
        } catch let error as FileError {
            throw error.code == .busy ? busy(.other, purpose, error) : unusable(purpose, error)
        }
    }

    /// Closes the lock file.
    ///
    /// The call waits until the lock is not held. A second call has no effect.
    package func close() {
        // In a forked child, the lock belongs to the parent.
        guard CurrentProcess.forkGeneration == forkGeneration else { return }
        turn.wait()
        defer { turn.signal() }
        guard !isClosed.exchange(true, ordering: .relaxed), case .memory(let lock, _, let file) = kind else { return }
        if let members { WriterMembers.shared.remove(lock.member, from: members) }
        // Closing the file is not enough, because the mapping keeps the file open, including its locks. Errors are ignored, because the lock
        // is free and contains no data.
        try? lock.leave()
        try? file.close()
    }
}

extension WriterLock {
    /// A process that holds the lock.
    private enum Process {
        case this, other
        case known(UInt32)
    }

    /// Returns the process that holds a lock in shared memory.
    private func holder(_ lock: SharedLock, _ page: WriterPage) -> Process {
        if let members, WriterMembers.shared.contains(lock.holder, in: members) { return .this }
        // The holder may be in another container, where it may even have the id of this process.
        let isOwn = page.process == UInt32(bitPattern: CurrentProcess.identifier)
        return page.process == 0 || isOwn ? .other : .known(page.process)
    }

    private func busy(_ holder: Process, _ purpose: Purpose, _ error: FileError? = nil) -> ObjectError {
        let text =
            switch holder {
            case .this: "another manager in this process is writing to the database. Try again later."
            case .other: "another process is writing to the database. Try again later."
            case .known(let process):
                "process \(process) is writing to the database. Try again later, or end that process."
            }
        return ObjectError(.busy, "\(purpose.failure) because \(text)", path: path, underlying: error)
    }

    private func unusable(_ purpose: Purpose, _ error: FileError?) -> ObjectError {
        ObjectError(
            .inaccessible,
            "\(purpose.failure) because the lock file \"\(FilePath.name(of: path))\(Self.suffix)\" can't be used. Check its "
                + "permissions; if another program changed the file, close this manager and open a new one.",
            path: path,
            underlying: error
        )
    }
}

extension WriterLock.Purpose {
    /// The beginning of an error message.
    fileprivate var failure: String {
        switch self {
        case .saving: "Nothing was saved"
        case .opening: "The database can't be opened"
        }
    }
}

extension Duration {
    /// The duration for Dispatch, clamped to the range from zero to about 30 years.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = max(.zero, min(self, .seconds(1_000_000_000))).components
        return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
}
#endif
