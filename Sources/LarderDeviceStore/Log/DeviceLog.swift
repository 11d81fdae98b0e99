import LarderCore
import LarderFiles
import Synchronization

/// One generation of a store's file, open.
final class DeviceLog: Sendable {
    let file: any OpenFile
    let fileIdentifier: [UInt8]
    let generation: UInt64
    let snapshotEnd: Int
    let seed: UInt32
    let device: UInt64
    let inode: UInt64
    /// Whether its name may not survive power loss yet.
    let needsFolderSync: Atomic<Bool>
    /// What lets this process write to it; `nil` where it only reads, and where files have no such locks.
    let owner: LogOwnerLock?

    /// A log with that header; `seed` when the header is not its own, because that is lost; `information` where it is known.
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

    /// A value that was left in the file.
    struct Value: Sendable {
        let log: DeviceLog
        let position: Int
        let length: Int
        let checksum: UInt32

        /// Reads its encoded bytes and checks them.
        func bytes() throws -> [UInt8] {
            let bytes = try log.file.read(at: position, count: length)
            guard bytes.count == length, bytes.withUnsafeBytes({ CRC32C.of($0) }) == checksum else {
                throw StoreError.damagedLog(log.file.path, at: position, "a large value is not as it was written")
            }
            return bytes
        }

        /// Reads and decodes it.
        func load() throws -> StoredValue {
            guard let value = try bytes().withUnsafeBytes({ LogValue.decode($0) }) else {
                throw StoreError.damagedLog(log.file.path, at: position, "a large value can't be decoded")
            }
            return value
        }
    }
}
