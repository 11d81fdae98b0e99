#if Objects
internal import LarderFiles
internal import Synchronization

/// A registry of this process's members of locks in shared memory.
///
/// A process id does not tell whether the holder of a lock is in this process, because processes in different containers may have the same
/// id. The class is thread-safe.
final class WriterMembers: Sendable {
    static let shared = WriterMembers()

    /// A lock file, identified by device and inode.
    struct File: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        init(_ information: FileInformation) { (device, inode) = (information.device, information.inode) }
    }

    private let files = Mutex<[File: Set<UInt32>]>([:])

    func add(_ member: UInt32, to file: File) {
        files.withLock { _ = $0[file, default: []].insert(member) }
    }

    func remove(_ member: UInt32, from file: File) {
        files.withLock { files in
            files[file]?.remove(member)
            if files[file]?.isEmpty == true { files[file] = nil }
        }
    }

    func contains(_ member: UInt32, in file: File) -> Bool { files.withLock { $0[file]?.contains(member) == true } }
}
#endif
