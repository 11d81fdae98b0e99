package import LarderCore

/// A lock between processes, and between threads of one: whoever has the lock of the file at `path`.
///
/// The file holds the number of the process that has it exclusively. It is created when missing and never removed, since
/// somebody may be waiting for it. The lock dies with its holder; a number left behind by one that died means nothing.
package struct LockFile: Sendable {
    package let path: String
    private let fileSystem: any FileSystem
    private let time: any TimeSource
    private let sleep: @Sendable (Duration) -> Void

    /// A lock that nobody asked for yet.
    ///
    /// - Parameters:
    ///   - path: Beside what it protects; its folder must exist.
    ///   - fileSystem: Where.
    ///   - time: What the limit is measured with.
    ///   - sleep: Blocks the thread for that long.
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

    /// Takes the lock, waiting up to `limit`; `busy`, naming the holder's process, when that was not enough.
    ///
    /// Blocks the thread. Asking again on the thread that has it waits in vain.
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
        if kind == .exclusive { try sign(file) }
        return lock
    }

    /// Runs `body` while holding the lock exclusively.
    package func withLock<Result>(within limit: Duration = .seconds(5), _ body: () throws -> Result) throws -> Result {
        let lock = try acquire(within: limit)
        defer { lock.release() }
        return try body()
    }

    /// Right-aligned to one width, so that one write replaces any earlier number.
    private func sign(_ file: any OpenFile) throws {
        let digits = Array("\(SystemCalls.processIdentifier)".utf8)
        try file.write([UInt8](repeating: UInt8(ascii: " "), count: max(0, 10 - digits.count)) + digits + [10], at: 0)
    }

    private func holder(of file: any OpenFile) -> String {
        // For the message alone.
        let text = (try? file.read(at: 0, count: 11)).map { String(decoding: $0.filter { $0 > 32 }, as: UTF8.self) }
        guard let text, let number = Int32(text) else { return "another process holds the lock" }
        return "process \(number) holds the lock"
    }
}

/// A lock that is held until ``release()``, or until the last reference to this goes.
package final class HeldLock: Sendable {
    private let file: any OpenFile
    private let forkGeneration = CurrentProcess.forkGeneration

    fileprivate init(_ file: any OpenFile) { self.file = file }

    /// Lets go.
    ///
    /// A second call does nothing.
    package func release() {
        // Closing alone lets go only with the last copy of the descriptor, and a program that is being started has one until it runs. In
        // a child that was forked the lock is its parent's. Should this fail, or the closing, the descriptor is gone all the same, and
        // the file holds nothing to keep.
        if CurrentProcess.forkGeneration == forkGeneration { try? file.unlock() }
        try? file.close()
    }

    deinit { release() }
}
