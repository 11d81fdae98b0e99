import Foundation
package import LarderFiles

/// One process on a lying file system, which can be killed at any of its calls.
///
/// Calls go through until the one it dies at: that one does nothing, or, if it writes, a part of what it should. From then on
/// every call throws and changes nothing, and its locks are free. The code that it runs goes on for a while, as a process
/// that was killed does not: call ``bury()`` when it has returned, which takes back what it stored to mapped bytes meanwhile.
/// Between its death and ``bury()`` no other process may do anything.
package final class LyingProcess: ForwardingFileSystem, @unchecked Sendable {
    // Unchecked: every mutable property is touched only between `lock.lock()` and `unlock()`.
    /// What it shares with other processes.
    package let disk: LyingFileSystem
    package var base: any FileSystem { disk }
    private let lock = NSLock()
    private var deadline: Int?
    private var writing = 0
    private var calls = 0
    private var isDead = false
    private var files: [any OpenFile] = []

    /// A process that lives until it is told to die.
    package init(on disk: LyingFileSystem) { self.disk = disk }

    /// From now on it dies at that call.
    ///
    /// - Parameters:
    ///   - number: The number of the call, 0 for the next.
    ///   - writing: How many bytes it has written by then if that call writes.
    package func die(atCall number: Int, writing: Int = 0) {
        lock.withLock {
            deadline = calls + number
            self.writing = writing
        }
    }

    /// Whether it was killed.
    package var wasKilled: Bool { lock.withLock { isDead } }

    /// Kills it between two calls.
    package func kill() {
        lock.withLock {
            guard !isDead else { return }
            isDead = true
            disk.recordMappedStores()
            for file in files { try? file.close() }
        }
    }

    /// Takes back what a process that was killed stored to mapped bytes after its death.
    package func bury() {
        guard wasKilled else { return }
        disk.forgetMappedStores()
    }

    /// Runs a call, unless this is where it dies; `partially` is what a write has done by then.
    private func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        partially: (Int) throws -> Void,
        _ body: () throws -> Result
    ) throws -> Result {
        if wasKilled { throw FileError(.inputOutput, operation, path) }
        if let writing = countCall() {
            if writing > 0 { try partially(writing) }
            kill()
            throw FileError(.inputOutput, operation, path)
        }
        return try body()
    }

    /// How many bytes it has written, when this is the call that it dies at.
    private func countCall() -> Int? {
        lock.lock()
        defer { lock.unlock() }
        let number = calls
        calls += 1
        return number == deadline ? writing : nil
    }

    // MARK: The calls

    package func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result { try calling(operation, path, partially: { _ in }, body) }

    package func writing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: String,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try calling(.write, path) { count in
            try write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
        } _: {
            try write(bytes)
        }
    }

    package func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        try calling(.open, path) {
            let file = try disk.open(path, mode)
            lock.withLock { files.append(file) }
            return ForwardedFile(file, of: self)
        }
    }
}
