import LarderFiles
import Synchronization

/// The control file of a store, mapped: the lock between processes and the words they share.
///
/// See "Several processes" of `device-log-v1.md`.
final class DeviceControl: Sendable {
    private let file: any OpenFile
    private let region: any MappedRegion
    /// The mapped page.
    ///
    /// Set once, valid as long as `region` is, and accessed through atomics only, but for the fields that say what it
    /// belongs to, which the holder of the lock reads and writes.
    nonisolated(unsafe) private let page: UnsafeMutableRawPointer

    private typealias Field = LogFormat.Control

    /// Opens or creates the control file at `path`.
    init(at path: String, on fileSystem: any FileSystem) throws {
        file = try fileSystem.open(path, FileOpenMode(isWritable: true, creation: .ifMissing, followsLinks: false))
        // Growing is harmless when others do it at the same moment.
        if try file.information().size < Field.size { try file.truncate(to: Field.size) }
        region = try file.map(offset: 0, count: Field.size, writable: true)
        guard let page = region.bytes.baseAddress else {
            throw FileError(.unsupported, .map, path, detail: "the mapping is empty")
        }
        self.page = page
    }

    /// Which file it is.
    func information() throws -> FileInformation { try file.information() }

    // MARK: The lock

    func tryLock() throws -> Bool { try file.lock(.exclusive, wait: false) }

    func unlock() throws { try file.unlock() }

    func close() { try? file.close() }

    // MARK: Shared words

    /// The shared word at `offset`.
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (page + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    var stateWord: UnsafeMutablePointer<Atomic<UInt64>> { word(Field.stateWord) }

    subscript(offset: Int) -> UInt64 {
        get { word(offset).pointee.load(ordering: .acquiring) }
        set { word(offset).pointee.store(newValue, ordering: .releasing) }
    }

    // MARK: What it belongs to; under the lock

    /// What the words speak of.
    struct Subject: Hashable {
        var boot: [UInt8]
        var fileIdentifier: [UInt8]
        var device: UInt64
        var inode: UInt64
    }

    /// Whether the page was written by a version whose layout this one does not know.
    var isOfNewerVersion: Bool {
        bytes(Field.magicField, 8) == Field.magic
            && page.load(fromByteOffset: Field.versionField, as: UInt32.self).littleEndian > Field.version
    }

    /// What the words speak of; `nil` for a new page or one that makes no sense.
    var subject: Subject? {
        get {
            guard
                bytes(Field.magicField, 8) == Field.magic,
                page.load(fromByteOffset: Field.versionField, as: UInt32.self).littleEndian == Field.version
            else { return nil }
            return Subject(
                boot: bytes(Field.bootField, Field.bootSize),
                fileIdentifier: bytes(Field.fileIdentifierField, 16),
                device: self[Field.deviceField],
                inode: self[Field.inodeField]
            )
        }
        set {
            guard let newValue else { return }
            set(Field.magicField, Field.magic)
            page.storeBytes(of: Field.version.littleEndian, toByteOffset: Field.versionField, as: UInt32.self)
            set(Field.bootField, newValue.boot)
            set(Field.fileIdentifierField, newValue.fileIdentifier)
            self[Field.deviceField] = newValue.device
            self[Field.inodeField] = newValue.inode
        }
    }

    private func bytes(_ offset: Int, _ count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: page + offset, count: count))
    }

    private func set(_ offset: Int, _ bytes: [UInt8]) {
        (page + offset).copyMemory(from: bytes, byteCount: bytes.count)
    }
}
