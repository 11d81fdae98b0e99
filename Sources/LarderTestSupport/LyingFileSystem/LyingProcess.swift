import Foundation
package import LarderFiles

/// One process on a lying file system, which can be killed at any of its calls.
///
/// Calls go through until the one it dies at: that one does nothing, or, if it writes, a part of what it should. From then on
/// every call throws and changes nothing, and its locks are free. The code that it runs goes on for a while, as a process
/// that was killed does not: call ``bury()`` when it has returned, which takes back what it stored to mapped bytes meanwhile.
/// Between its death and ``bury()`` no other process may do anything.
package final class LyingProcess: FileSystem, @unchecked Sendable {
    // Unchecked: every mutable property is touched only between `lock.lock()` and `unlock()`.
    /// What it shares with other processes.
    package let disk: LyingFileSystem
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
    fileprivate func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        partially: (Int) throws -> Void = { _ in },
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

    package func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        try calling(.open, path) {
            let file = try disk.open(path, mode)
            lock.withLock { files.append(file) }
            return MortalFile(file, of: self)
        }
    }

    package func information(at path: String, followingLinks: Bool) throws -> FileInformation? {
        try calling(.inspect, path) { try disk.information(at: path, followingLinks: followingLinks) }
    }

    package func createDirectory(at path: String) throws {
        try calling(.createDirectory, path) { try disk.createDirectory(at: path) }
    }

    package func contentsOfDirectory(at path: String) throws -> [String] {
        try calling(.inspect, path) { try disk.contentsOfDirectory(at: path) }
    }

    package func rename(_ source: String, to destination: String) throws {
        try calling(.rename, source) { try disk.rename(source, to: destination) }
    }

    package func remove(_ path: String) throws {
        try calling(.remove, path) { try disk.remove(path) }
    }

    package func synchronizeDirectory(at path: String) throws {
        try calling(.synchronize, path) { try disk.synchronizeDirectory(at: path) }
    }

    package func resolvingLinks(in path: String) throws -> String {
        try calling(.inspect, path) { try disk.resolvingLinks(in: path) }
    }

    package func volume(at path: String) throws -> VolumeInformation {
        try calling(.inspect, path) { try disk.volume(at: path) }
    }

    package func bootIdentifier() throws -> String { try disk.bootIdentifier() }
}

/// An open file of a process that may be killed.
private final class MortalFile: OpenFile {
    private let file: any OpenFile
    private let process: LyingProcess

    init(_ file: any OpenFile, of process: LyingProcess) {
        self.file = file
        self.process = process
    }

    deinit { try? file.close() }

    var path: String { file.path }

    func information() throws -> FileInformation {
        try process.calling(.inspect, path) { try file.information() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try process.calling(.read, path) { try file.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try process.calling(.write, path) { count in
            try file.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
        } _: {
            try file.write(bytes, at: offset)
        }
    }

    func truncate(to size: Int) throws { try process.calling(.resize, path) { try file.truncate(to: size) } }

    func reserve(_ size: Int) throws { try process.calling(.resize, path) { try file.reserve(size) } }

    func setPermissions(_ permissions: UInt16) throws {
        try process.calling(.write, path) { try file.setPermissions(permissions) }
    }

    func synchronize(_ scope: SyncScope) throws {
        try process.calling(.synchronize, path) { try file.synchronize(scope) }
    }

    func lock(_ kind: LockKind, wait: Bool) throws -> Bool {
        try process.calling(.lock, path) { try file.lock(kind, wait: wait) }
    }

    func unlock() throws { try process.calling(.lock, path) { try file.unlock() } }

    func hold(_ number: Int) throws -> Bool { try process.calling(.lock, path) { try file.hold(number) } }

    func letGo(_ number: Int) throws { try process.calling(.lock, path) { try file.letGo(number) } }

    func anyHeld(_ numbers: Range<Int>) throws -> Int? {
        try process.calling(.lock, path) { try file.anyHeld(numbers) }
    }

    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        try process.calling(.map, path) {
            MortalRegion(try file.map(offset: offset, count: count, writable: writable), path, of: process)
        }
    }

    func close() throws { try file.close() }
}

/// A map of a process that may be killed.
private final class MortalRegion: MappedRegion {
    private let region: any MappedRegion
    private let path: String
    private let process: LyingProcess

    init(_ region: any MappedRegion, _ path: String, of process: LyingProcess) {
        self.region = region
        self.path = path
        self.process = process
    }

    var bytes: UnsafeMutableRawBufferPointer { region.bytes }

    func synchronize(_ range: Range<Int>) throws {
        try process.calling(.synchronize, path) { try region.synchronize(range) }
    }

    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try process.calling(.write, path) { count in
            try region.store(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: offset)
        } _: {
            try region.store(bytes, at: offset)
        }
    }

    func populate(_ range: Range<Int>) throws { try process.calling(.map, path) { try region.populate(range) } }
}
