package import LarderFiles

/// A file system that forwards calls to another file system, for test doubles that change only some calls.
package protocol ForwardingFileSystem: FileSystem {
    /// The file system to which calls are forwarded.
    var base: any FileSystem { get }

    /// Performs a call by running `body`, which forwards the call.
    ///
    /// Test doubles override this method to observe calls or make them fail. All calls to the file system, its open files and its memory
    /// mappings go through this method, except `FileSystem.bootIdentifier()` and closing.
    func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result

    /// Performs a call that writes bytes to a file or to mapped memory.
    ///
    /// The default implementation calls ``calling(_:_:_:)``.
    func writing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: String,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws
}

extension ForwardingFileSystem {
    package func calling<Result>(
        _ operation: FileError.Operation,
        _ path: String,
        _ body: () throws -> Result
    ) throws -> Result { try body() }

    package func writing(
        _ bytes: UnsafeRawBufferPointer,
        _ path: String,
        _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws { try calling(.write, path) { try write(bytes) } }

    package func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        try calling(.open, path) { ForwardedFile(try base.open(path, mode), of: self) }
    }

    package func information(at path: String, followingLinks: Bool) throws -> FileInformation? {
        try calling(.inspect, path) { try base.information(at: path, followingLinks: followingLinks) }
    }

    package func createDirectory(at path: String) throws {
        try calling(.createDirectory, path) { try base.createDirectory(at: path) }
    }

    package func contentsOfDirectory(at path: String) throws -> [String] {
        try calling(.inspect, path) { try base.contentsOfDirectory(at: path) }
    }

    package func rename(_ source: String, to destination: String) throws {
        try calling(.rename, source) { try base.rename(source, to: destination) }
    }

    package func renameExclusively(_ source: String, to destination: String) throws {
        try calling(.rename, source) { try base.renameExclusively(source, to: destination) }
    }

    package func remove(_ path: String) throws { try calling(.remove, path) { try base.remove(path) } }

    package func synchronizeDirectory(at path: String) throws {
        try calling(.synchronize, path) { try base.synchronizeDirectory(at: path) }
    }

    package func resolvingLinks(in path: String) throws -> String {
        try calling(.inspect, path) { try base.resolvingLinks(in: path) }
    }

    package func volume(at path: String) throws -> VolumeInformation {
        try calling(.inspect, path) { try base.volume(at: path) }
    }

    package func watch(_ path: String, _ onChange: @escaping @Sendable () -> Void) throws -> FileWatch {
        try calling(.watch, path) { try base.watch(path, onChange) }
    }

    package func bootIdentifier() throws -> String { try base.bootIdentifier() }
}

/// An open file of a ``ForwardingFileSystem``.
final class ForwardedFile: OpenFile {
    private let base: any OpenFile
    private let fileSystem: any ForwardingFileSystem

    init(_ base: any OpenFile, of fileSystem: any ForwardingFileSystem) {
        self.base = base
        self.fileSystem = fileSystem
    }

    // The underlying file is closed explicitly, because the test double may have kept a reference to it.
    deinit { try? base.close() }

    private func calling<Result>(_ operation: FileError.Operation, _ body: () throws -> Result) throws -> Result {
        try fileSystem.calling(operation, path, body)
    }

    var path: String { base.path }
    func noteRename(to path: String) { base.noteRename(to: path) }

    func information() throws -> FileInformation { try calling(.inspect) { try base.information() } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try calling(.read) { try base.read(into: buffer, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try fileSystem.writing(bytes, path) { try base.write($0, at: offset) }
    }

    func truncate(to size: Int) throws { try calling(.resize) { try base.truncate(to: size) } }

    func reserve(_ size: Int) throws { try calling(.resize) { try base.reserve(size) } }

    func setPermissions(_ permissions: UInt16) throws { try calling(.write) { try base.setPermissions(permissions) } }

    func setOwner(_ owner: UInt32?, group: UInt32) throws {
        try calling(.write) { try base.setOwner(owner, group: group) }
    }

    func synchronize(_ scope: SyncScope) throws { try calling(.synchronize) { try base.synchronize(scope) } }

    func lock(_ kind: LockKind, wait: Bool) throws -> Bool { try calling(.lock) { try base.lock(kind, wait: wait) } }

    func unlock() throws { try calling(.lock) { try base.unlock() } }

    func hold(_ number: Int, _ kind: LockKind) throws -> Bool { try calling(.lock) { try base.hold(number, kind) } }

    func release(_ number: Int) throws { try calling(.lock) { try base.release(number) } }

    func anyHeld(_ numbers: Range<Int>) throws -> Int? { try calling(.lock) { try base.anyHeld(numbers) } }

    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        try calling(.map) {
            ForwardedRegion(try base.map(offset: offset, count: count, writable: writable), path, of: fileSystem)
        }
    }

    func close() throws { try base.close() }
}

/// A memory-mapped region of a ``ForwardingFileSystem`` that forwards each write to the region as a call.
private final class ForwardedRegion: MappedRegion {
    private let base: any MappedRegion
    private let path: String
    private let fileSystem: any ForwardingFileSystem

    init(_ base: any MappedRegion, _ path: String, of fileSystem: any ForwardingFileSystem) {
        self.base = base
        self.path = path
        self.fileSystem = fileSystem
    }

    var bytes: UnsafeMutableRawBufferPointer { base.bytes }

    func synchronize(_ range: Range<Int>) throws {
        try fileSystem.calling(.synchronize, path) { try base.synchronize(range) }
    }

    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        try fileSystem.writing(bytes, path) { try base.store($0, at: offset) }
    }

    var isLost: Bool { base.isLost }
}
