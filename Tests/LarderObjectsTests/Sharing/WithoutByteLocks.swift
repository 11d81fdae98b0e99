#if Objects
import LarderFiles
import LarderTestSupport

/// A file system without byte-range locks, as on Apple platforms.
struct WithoutByteLocks: ForwardingFileSystem {
    let base: any FileSystem = LocalFileSystem()

    func open(_ path: String, _ mode: FileOpenMode) throws -> any OpenFile { File(try base.open(path, mode)) }

    private final class File: OpenFile {
        private let base: any OpenFile

        init(_ base: any OpenFile) { self.base = base }

        var path: String { base.path }
        func noteRename(to path: String) { base.noteRename(to: path) }
        func information() throws -> FileInformation { try base.information() }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
            try base.read(into: buffer, at: offset)
        }
        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws { try base.write(bytes, at: offset) }
        func truncate(to size: Int) throws { try base.truncate(to: size) }
        func reserve(_ size: Int) throws { try base.reserve(size) }
        func setPermissions(_ permissions: UInt16) throws { try base.setPermissions(permissions) }
        func setOwner(_ owner: UInt32?, group: UInt32) throws { try base.setOwner(owner, group: group) }
        func synchronize(_ scope: SyncScope) throws { try base.synchronize(scope) }
        func lock(_ kind: LockKind, wait: Bool) throws -> Bool { try base.lock(kind, wait: wait) }
        func unlock() throws { try base.unlock() }
        func hold(_ number: Int, _ kind: LockKind) throws -> Bool { throw FileError(.unsupported, .lock, path) }
        func release(_ number: Int) throws { throw FileError(.unsupported, .lock, path) }
        func anyHeld(_ numbers: Range<Int>) throws -> Int? { throw FileError(.unsupported, .lock, path) }
        func map(offset: Int, count: Int, writable: Bool) throws -> any MappedRegion {
            try base.map(offset: offset, count: count, writable: writable)
        }
        func close() throws { try base.close() }
    }
}
#endif
