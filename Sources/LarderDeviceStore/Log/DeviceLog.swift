import LarderCore
import LarderFiles
import Synchronization

/// An open log file, which holds one generation of a store.
final class DeviceLog: Sendable {
    let file: any OpenFile
    let fileIdentifier: [UInt8]
    let generation: UInt64
    let snapshotEnd: Int
    let seed: UInt32
    let device: UInt64
    let inode: UInt64
    /// Whether the folder must be synced to make the file's directory entry durable.
    let needsFolderSync: Atomic<Bool>
    /// The owner lock, or `nil` for a read-only store or a file system without byte-range locks.
    let owner: LogOwnerLock?

    /// Creates a log from an open file and its header.
    ///
    /// If the header was lost, pass a fallback `header` and the recovered `seed`.
    init(
        file: any OpenFile,
        header: LogHeader,
        needsFolderSync: Bool,
        owner: LogOwnerLock? = nil,
        information: FileInformation? = nil,
        seed: UInt32? = nil
    ) throws {
        self.file = file
        self.owner = owner
        fileIdentifier = header.fileIdentifier
        generation = header.generation
        snapshotEnd = header.snapshotEnd
        self.seed = seed ?? header.seed
        let information = try information ?? file.information()
        device = information.device
        inode = information.inode
        self.needsFolderSync = Atomic(needsFolderSync)
    }

    var reader: LogReader { LogReader(file: file, seed: seed) }

    /// The location in the log file of a value that is not kept in memory.
    struct Value: Sendable {
        let log: DeviceLog
        let position: Int
        let length: Int
        let checksum: UInt32

        /// Reads the value from the file, verifies its checksum, and decodes it.
        func load() throws -> StoredValue {
            let encoded = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: LogFormat.alignment)
            var isTakenOver = false
            defer { if !isTakenOver { encoded.deallocate() } }
            let bytes = UnsafeRawBufferPointer(encoded)
            guard try log.file.read(into: encoded, at: position) == length, CRC32C.of(bytes) == checksum else {
                throw StoreError.damagedLog(log.file.path, at: position, "a large value is corrupt")
            }
            if let data = LogValue.data(takingOver: encoded) {
                isTakenOver = true
                return data
            }
            guard let value = LogValue.decode(bytes) else {
                throw StoreError.damagedLog(log.file.path, at: position, "a large value can't be decoded")
            }
            return value
        }

        /// The number of bytes that a value must have beyond its beginning, so that reading only the beginning is worthwhile.
        private static let worthwhile = 1 << 12
        /// The maximum number of bytes before the content of a string, URL or data: a tag and a length.
        private static let longestHead = 11

        /// Reads the beginning of a long string, URL or data.
        ///
        /// The checksum is not verified, because it covers the whole value.
        ///
        /// - Parameter longest: The maximum number of bytes of the beginning.
        /// - Returns: The beginning and the size of the whole value in bytes, or `nil` if the value must be read as a whole.
        /// - Throws: `FileError` if the file can't be read.
        func beginning(_ longest: Int) throws -> (value: StoredValue, size: Int)? {
            guard longest >= 0, longest < length - Self.worthwhile else { return nil }
            let head = try log.file.read(at: position, count: longest + Self.longestHead)
            return head.withUnsafeBytes { StoredValue.beginning(encodedAs: $0, of: length, longest: longest) }
        }
    }
}
