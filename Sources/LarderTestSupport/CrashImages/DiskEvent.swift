/// An event on the simulated disk: a change or a sync.
package enum DiskEvent: Sendable, Hashable {
    /// A file was created. The associated values are its path, inode number and permission bits.
    case create(String, Int, UInt16)
    /// Bytes were written to a file or to its memory mapping. The associated values are the inode number, the offset and the bytes.
    case write(Int, Int, [UInt8])
    /// A file was truncated or extended with zeros. The associated values are its inode number and its new size.
    case resize(Int, Int)
    /// The permission bits of a file were set. The associated values are its inode number and the permission bits.
    case setPermissions(Int, UInt16)
    /// The file with this inode number was synced.
    case synchronize(Int)
    /// The size of the file with this inode number and all pages that overlap the byte range were synced.
    case synchronizeRange(Int, Range<Int>)
    /// A sync of the file with this inode number failed.
    case failedSynchronize(Int)
    /// A file was renamed, replacing any file at the destination. The associated values are both paths and the file's inode number.
    case rename(String, String, Int)
    /// The file with this path and inode number was removed.
    case remove(String, Int)
    /// The folder with this path was synced, which makes the names of its files durable.
    case synchronizeDirectory(String)
    /// The folder with this path was durably created.
    case createDirectory(String)
}

extension DiskEvent {
    /// The inode number of the affected file, or `nil` for events of folders.
    var inode: Int? {
        switch self {
        case .create(_, let inode, _), .write(let inode, _, _), .resize(let inode, _), .setPermissions(let inode, _),
            .synchronize(let inode), .synchronizeRange(let inode, _), .failedSynchronize(let inode),
            .rename(_, _, let inode), .remove(_, let inode):
            inode
        case .synchronizeDirectory, .createDirectory: nil
        }
    }
}
