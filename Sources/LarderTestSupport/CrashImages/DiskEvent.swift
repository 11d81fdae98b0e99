/// One change to the disk, or a promise that it made.
package enum DiskEvent: Sendable, Hashable {
    /// A file got a name; its number on the disk and its permission bits.
    case create(String, Int, UInt16)
    /// Bytes were written, or stored to a map, at an offset.
    case write(Int, Int, [UInt8])
    /// A file was cut, or grown by zeros.
    case resize(Int, Int)
    /// A file's permission bits were set.
    case setPermissions(Int, UInt16)
    /// Everything about a file was confirmed.
    case synchronize(Int)
    /// The pages in a range of a file were confirmed, and its size.
    case synchronizeRange(Int, Range<Int>)
    /// A sync of a file failed.
    case failedSynchronize(Int)
    /// A file got another name, taking it from whatever had it.
    case rename(String, String, Int)
    /// A file lost its name.
    case remove(String, Int)
    /// The names in a folder were confirmed.
    case synchronizeDirectory(String)
    /// A folder was created, and confirmed.
    case createDirectory(String)
}

extension DiskEvent {
    /// The number of the file that it is about, if it is about one.
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
