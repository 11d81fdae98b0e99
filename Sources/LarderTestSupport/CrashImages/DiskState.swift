import LarderFiles

/// A snapshot of the durable and unsynced data on a simulated disk.
///
/// ``settled(_:_:)`` derives the possible states after a power loss.
package struct DiskState: Sendable {
    /// The size of a disk sector in bytes.
    package static let sectorSize = 512
    /// The size of a memory page in bytes.
    ///
    /// Syncing part of a memory mapping makes whole pages durable.
    package static let pageSize = 4_096

    var directories: Set<String> = ["/", "."]
    /// The inode numbers of the files, keyed by their durable paths.
    var names: [String: Int] = [:]
    /// The creations, renames and removals that are not yet durable, in order.
    var unconfirmedNames: [DiskEvent] = []
    var files: [Int: FileOnDisk] = [:]

    init() {}

    mutating func createDirectory(_ path: String) {
        var folder = path
        while directories.insert(folder).inserted { folder = FilePath.folder(of: folder) }
    }

    mutating func addFile(_ path: String, inode: Int, content: [UInt8], permissions: UInt16 = 0o600) {
        names[path] = inode
        files[inode] = FileOnDisk(content, permissions: permissions)
    }

    /// Applies a disk event, such as a write or a rename, to this state.
    package mutating func apply(_ event: DiskEvent) {
        switch event {
        case .create(_, let inode, let permissions):
            files[inode] = FileOnDisk(permissions: permissions)
            unconfirmedNames.append(event)
        case .rename, .remove:
            unconfirmedNames.append(event)
        case .write(let inode, let offset, let bytes):
            files[inode]?.add(.write(offset: offset, bytes, isLost: false))
        case .resize(let inode, let size):
            files[inode]?.add(.resize(size, isLost: false))
        case .setPermissions(let inode, let permissions):
            files[inode]?.permissions = permissions
        case .synchronize(let inode):
            files[inode]?.confirm()
        case .synchronizeRange(let inode, let range):
            files[inode]?.confirm(range)
        case .failedSynchronize(let inode):
            files[inode]?.loseUnconfirmed()
        case .synchronizeDirectory(let path):
            confirmNames(in: path)
        case .createDirectory(let path):
            createDirectory(path)
        }
    }

    private mutating func confirmNames(in folder: String) {
        var left: [DiskEvent] = []
        for event in unconfirmedNames {
            // A sync of either folder makes a rename between folders durable.
            if Self.folders(of: event).contains(folder) { Self.apply(event, to: &names) } else { left.append(event) }
        }
        unconfirmedNames = left
    }

    private static func folders(of event: DiskEvent) -> [String] {
        switch event {
        case .create(let path, _, _), .remove(let path, _): [FilePath.folder(of: path)]
        case .rename(let source, let destination, _): [FilePath.folder(of: source), FilePath.folder(of: destination)]
        default: []
        }
    }

    private static func apply(_ event: DiskEvent, to names: inout [String: Int]) {
        switch event {
        case .create(let path, let inode, _):
            names[path] = inode
        case .rename(let source, let destination, let inode):
            if names[source] == inode { names[source] = nil }
            names[destination] = inode
        case .remove(let path, let inode):
            if names[path] == inode { names[path] = nil }
        default:
            break
        }
    }

    /// Returns a possible state of the disk after a power loss.
    ///
    /// `choices` decides which unsynced changes survive.
    func settled(_ choices: inout some CrashChoices, _ tearing: Tearing) -> DiskState {
        var result = DiskState()
        result.directories = directories
        result.names = names
        for event in unconfirmedNames where choices.choose(2) == 1 { Self.apply(event, to: &result.names) }
        result.files.reserveCapacity(result.names.count)
        // Files are settled in a fixed order, so that equal choices produce equal disks in every process.
        let inodes = result.names.count < 2 ? Array(result.names.values) : Set(result.names.values).sorted()
        for inode in inodes {
            guard let file = files[inode] else { continue }
            result.files[inode] = FileOnDisk(file.settled(&choices, tearing), permissions: file.permissions)
        }
        return result
    }
}
