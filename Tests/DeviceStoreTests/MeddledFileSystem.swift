import LarderFiles
import Synchronization

/// The real file system, with somebody who does something behind a process's back: just before it opens a file, or writes to it
/// in either way.
final class MeddledFileSystem: FileSystem {
    enum Moment { case opening, writing }

    private let local = LocalFileSystem()
    private let moment: Moment
    private let path: String
    private let meddle: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    init(_ moment: Moment, _ path: String) {
        self.moment = moment
        self.path = path
    }

    /// Has `body` called the next time.
    func once(_ body: @escaping @Sendable () -> Void) { meddle.withLock { $0 = body } }

    fileprivate func reached(_ moment: Moment, _ path: String) {
        guard moment == self.moment, path == self.path else { return }
        let body = meddle.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile {
        reached(.opening, path)
        return MeddledFile(try local.open(path, mode), self)
    }

    func information(at path: String, followingLinks: Bool) throws -> FileInformation? {
        try local.information(at: path, followingLinks: followingLinks)
    }

    func createDirectory(at path: String) throws { try local.createDirectory(at: path) }
    func contentsOfDirectory(at path: String) throws -> [String] { try local.contentsOfDirectory(at: path) }
    func rename(_ source: String, to destination: String) throws { try local.rename(source, to: destination) }
    func remove(_ path: String) throws { try local.remove(path) }
    func synchronizeDirectory(at path: String) throws { try local.synchronizeDirectory(at: path) }
    func resolvingLinks(in path: String) throws -> String { try local.resolvingLinks(in: path) }
    func volume(at path: String) throws -> VolumeInformation { try local.volume(at: path) }
    func bootIdentifier() throws -> String { try local.bootIdentifier() }
}

private final class MeddledFile: OpenFile {
    private let file: any OpenFile
    private let fileSystem: MeddledFileSystem

    init(_ file: any OpenFile, _ fileSystem: MeddledFileSystem) {
        self.file = file
        self.fileSystem = fileSystem
    }

    var path: String { file.path }
    func information() throws -> FileInformation { try file.information() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try file.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        fileSystem.reached(.writing, path)
        try file.write(bytes, at: offset)
    }
    func truncate(to size: Int) throws { try file.truncate(to: size) }
    func reserve(_ size: Int) throws { try file.reserve(size) }
    func setPermissions(_ permissions: UInt16) throws { try file.setPermissions(permissions) }
    func synchronize(_ scope: SyncScope) throws { try file.synchronize(scope) }
    func lock(_ kind: LockKind, wait: Bool) throws -> Bool { try file.lock(kind, wait: wait) }
    func unlock() throws { try file.unlock() }
    func hold(_ number: Int) throws -> Bool { try file.hold(number) }
    func letGo(_ number: Int) throws { try file.letGo(number) }
    func anyHeld(_ numbers: Range<Int>) throws -> Int? { try file.anyHeld(numbers) }
    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        MeddledRegion(try file.map(offset: offset, count: count, writable: writable), path, fileSystem)
    }
    func close() throws { try file.close() }
}

private final class MeddledRegion: MappedRegion {
    private let region: any MappedRegion
    private let path: String
    private let fileSystem: MeddledFileSystem

    init(_ region: any MappedRegion, _ path: String, _ fileSystem: MeddledFileSystem) {
        self.region = region
        self.path = path
        self.fileSystem = fileSystem
    }

    var bytes: UnsafeMutableRawBufferPointer { region.bytes }
    func synchronize(_ range: Range<Int>) throws { try region.synchronize(range) }
    func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        fileSystem.reached(.writing, path)
        try region.store(bytes, at: offset)
    }
    func watch() throws { try region.watch() }
    var isLost: Bool { region.isLost }
    func populate(_ range: Range<Int>) throws { try region.populate(range) }
}
