import Foundation
package import LarderFiles

/// A simulated process that uses a simulated disk and can be killed during any of its file system calls.
///
/// The call during which the process is killed has no effect or, if it is a write, writes only some of its bytes. The process's locks are
/// released, and all its later calls throw an error. Unlike in a real process, the killed code runs until it returns. After that, call
/// ``bury()`` to revert what the code wrote to mapped memory. Between the kill and ``bury()``, no other process may use the disk.
package final class SimulatedProcess: ForwardingFileSystem, @unchecked Sendable {
    // `@unchecked Sendable` is safe because every mutable property is accessed only between `lock.lock()` and `unlock()`.
    /// The disk that this process shares with other processes.
    package let disk: SimulatedFileSystem
    package var base: any FileSystem { disk }
    private let lock = NSLock()
    private var deadline: Int?
    private var writing = 0
    private var calls = 0
    private var isDead = false
    private var files: [any OpenFile] = []

    /// Creates a process that uses `disk` and runs until it is killed.
    package init(on disk: SimulatedFileSystem) { self.disk = disk }

    /// Schedules the process to be killed during a later call.
    ///
    /// - Parameters:
    ///   - number: The number of calls that run before the call that kills the process. Pass 0 to kill the process during the next call.
    ///   - writing: If the call is a write, the number of bytes that are written before the process is killed.
    package func die(atCall number: Int, writing: Int = 0) {
        lock.withLock {
            deadline = calls + number
            self.writing = writing
        }
    }

    /// Whether the process has been killed.
    package var wasKilled: Bool { lock.withLock { isDead } }

    /// Kills the process now, between two calls.
    package func kill() {
        lock.withLock {
            guard !isDead else { return }
            isDead = true
            disk.recordMappedStores()
            for file in files { try? file.close() }
        }
    }

    /// Reverts the writes to mapped memory that were made after the process was killed.
    package func bury() {
        guard wasKilled else { return }
        disk.forgetMappedStores()
    }

    /// Runs a file system call, or kills the process if the kill was scheduled for this call.
    ///
    /// `partially` writes the given number of bytes before the kill.
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

    /// Counts a file system call and determines whether the process is killed during the call.
    ///
    /// - Returns: The number of bytes to write before the kill, or `nil` if the process is not killed during this call.
    private func countCall() -> Int? {
        lock.lock()
        defer { lock.unlock() }
        let number = calls
        calls += 1
        return number == deadline ? writing : nil
    }

    // MARK: Calls

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
