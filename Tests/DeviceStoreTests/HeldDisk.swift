import LarderFiles
import LarderTestSupport
import Synchronization

/// A lying disk whose syncs of one file can be held up, and are counted.
final class HeldDisk: FileSystem {
    private struct State {
        var isHeld = false
        var waiting = 0
        var syncs = 0
        var failure: FileError?
    }

    let disk: LyingFileSystem
    private let path: String
    private let state = Mutex(State())

    init(_ disk: LyingFileSystem, _ path: String) {
        self.disk = disk
        self.path = path
    }

    /// How often the disk was asked to sync the file.
    var syncs: Int { state.withLock(\.syncs) }
    /// Whether somebody asks and is held up.
    var isAsked: Bool { state.withLock { $0.waiting > 0 } }

    func hold() { state.withLock { $0.isHeld = true } }

    /// Lets everybody go who is held up; with a failure, that is what they are told, and so is everybody who asks later.
    func release(failing failure: FileError? = nil) {
        state.withLock { state in
            state.isHeld = false
            state.failure = failure
        }
    }

    fileprivate func reached(_ path: String) throws {
        guard path == self.path else { return }
        state.withLock { state in
            state.syncs += 1
            state.waiting += 1
        }
        defer { state.withLock { $0.waiting -= 1 } }
        while state.withLock(\.isHeld) { CurrentProcess.sleep(for: .microseconds(200)) }
        if let failure = state.withLock(\.failure) { throw failure }
    }

    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile { HeldFile(try disk.open(path, mode), self) }
    func information(at path: String, followingLinks: Bool) throws -> FileInformation? {
        try disk.information(at: path, followingLinks: followingLinks)
    }
    func createDirectory(at path: String) throws { try disk.createDirectory(at: path) }
    func contentsOfDirectory(at path: String) throws -> [String] { try disk.contentsOfDirectory(at: path) }
    func rename(_ source: String, to destination: String) throws { try disk.rename(source, to: destination) }
    func remove(_ path: String) throws { try disk.remove(path) }
    func synchronizeDirectory(at path: String) throws { try disk.synchronizeDirectory(at: path) }
    func resolvingLinks(in path: String) throws -> String { try disk.resolvingLinks(in: path) }
    func volume(at path: String) throws -> VolumeInformation { try disk.volume(at: path) }
    func bootIdentifier() throws -> String { try disk.bootIdentifier() }
}

private final class HeldFile: OpenFile {
    private let file: any OpenFile
    private let disk: HeldDisk

    init(_ file: any OpenFile, _ disk: HeldDisk) {
        self.file = file
        self.disk = disk
    }

    var path: String { file.path }
    func information() throws -> FileInformation { try file.information() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try file.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws { try file.write(bytes, at: offset) }
    func truncate(to size: Int) throws { try file.truncate(to: size) }
    func reserve(_ size: Int) throws { try file.reserve(size) }
    func setPermissions(_ permissions: UInt16) throws { try file.setPermissions(permissions) }
    func synchronize(_ scope: SyncScope) throws {
        try disk.reached(path)
        try file.synchronize(scope)
    }
    func lock(_ kind: LockKind, wait: Bool) throws -> Bool { try file.lock(kind, wait: wait) }
    func unlock() throws { try file.unlock() }
    func hold(_ number: Int) throws -> Bool { try file.hold(number) }
    func letGo(_ number: Int) throws { try file.letGo(number) }
    func anyHeld(_ numbers: Range<Int>) throws -> Int? { try file.anyHeld(numbers) }
    func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
        try file.map(offset: offset, count: count, writable: writable)
    }
    func close() throws { try file.close() }
}
