package import LarderCore

/// An interprocess lock on the file at `path`, which also excludes threads of the same process.
///
/// The file contains the ID of the process that last held the lock exclusively. The file is created if it is missing, and is never
/// removed, because other processes may be waiting for the lock. The operating system releases the lock when the process that holds it
/// terminates.
package struct LockFile: Sendable {
    package let path: String
    private let fileSystem: any FileSystem
    private let time: any TimeSource
    private let sleep: @Sendable (Duration) -> Void

    /// Creates a lock without acquiring it.
    ///
    /// - Parameters:
    ///   - path: The path of the lock file, next to the protected file. The folder must exist.
    ///   - fileSystem: The file system that contains the file.
    ///   - time: The clock that measures the time limit.
    ///   - sleep: A function that blocks the thread for a duration.
    package init(
        at path: String,
        on fileSystem: any FileSystem = .local,
        time: any TimeSource = .system,
        sleep: @escaping @Sendable (Duration) -> Void = { SystemCalls.sleep(for: $0) }
    ) {
        self.path = path
        self.fileSystem = fileSystem
        self.time = time
        self.sleep = sleep
    }

    /// Acquires the lock, blocking the current thread for at most `limit`.
    ///
    /// Throws ``FileError`` with code `busy` if the lock is not acquired within `limit`. The error's detail names the process that holds
    /// the lock. The call also times out if the calling thread already holds the lock.
    package func acquire(_ kind: LockKind = .exclusive, within limit: Duration = .seconds(5)) throws -> HeldLock {
        let file = try fileSystem.open(path, FileOpenMode(isWritable: true, creation: .ifMissing))
        let deadline = time.monotonic + limit
        var pause = Duration.microseconds(50)
        while try !file.lock(kind, wait: false) {
            let left = deadline - time.monotonic
            guard left > .zero else { throw FileError(.busy, .lock, path, detail: holder(of: file)) }
            sleep(min(pause, left))
            pause = min(pause * 2, .milliseconds(10))
        }
        let lock = HeldLock(file)
        if kind == .exclusive { try Self.sign(file) }
        return lock
    }

    /// Runs `body` while holding the lock exclusively, and returns its result.
    package func withLock<Result>(within limit: Duration = .seconds(5), _ body: () throws -> Result) throws -> Result {
        let lock = try acquire(within: limit)
        defer { lock.release() }
        return try body()
    }

    /// Writes the ID of this process to the lock file.
    ///
    /// The ID is right-aligned to a fixed width, so that a single write replaces the previous ID.
    fileprivate static func sign(_ file: any OpenFile) throws {
        let digits = Array("\(SystemCalls.processIdentifier)".utf8)
        try file.write([UInt8](repeating: UInt8(ascii: " "), count: max(0, 10 - digits.count)) + digits + [10], at: 0)
    }

    private func holder(of file: any OpenFile) -> String {
        // The content is used only in an error message, so a failed read is ignored.
        let text = (try? file.read(at: 0, count: 11)).map { String(decoding: $0.filter { $0 > 32 }, as: UTF8.self) }
        guard let text, let number = Int32(text) else { return "another process holds the lock" }
        return "process \(number) holds the lock"
    }
}

/// A lock on a file that is held until ``release()`` is called or this object is deallocated.
package final class HeldLock: Sendable {
    private let file: any OpenFile
    private let forkGeneration = CurrentProcess.forkGeneration

    fileprivate init(_ file: any OpenFile) { self.file = file }

    /// Releases the lock.
    ///
    /// Further calls have no effect.
    package func release() {
        // The lock is released explicitly, because a process that is being started keeps a copy of the descriptor until it calls exec. In a
        // forked child, the lock belongs to the parent. Errors are ignored, because the descriptor is closed in any case and the file
        // contains no data to preserve.
        if CurrentProcess.forkGeneration == forkGeneration { try? file.unlock() }
        try? file.close()
    }

    /// Exchanges a shared lock for an exclusive lock without waiting, and returns whether the lock is now exclusive.
    ///
    /// If the result is `false`, the lock is still shared, except if the file can't be used or another process acquired the lock exclusively
    /// during the call. The lock is then released, because systems exchange a file lock by releasing it first.
    ///
    /// In a forked child, the result is `false`, because the lock belongs to the parent.
    package func becomeExclusive() -> Bool {
        guard CurrentProcess.forkGeneration == forkGeneration else { return false }
        guard (try? file.lock(.exclusive, wait: false)) == true else {
            _ = try? file.lock(.shared, wait: false)
            return false
        }
        // The process is named only in messages.
        try? LockFile.sign(file)
        return true
    }

    deinit { release() }
}
