package import Foundation

extension FileSystem {
    /// All of a file.
    ///
    /// Throws `notFound` when there is none.
    package func contents(of path: String, followingLinks: Bool = true) throws -> Data {
        let file = try open(path, FileOpenMode(isWritable: false, followsLinks: followingLinks))
        // It was only read: closing it loses nothing.
        defer { try? file.close() }
        var content = Data(count: try file.information().size + 1)
        var filled = 0
        while true {
            let count = try content.withUnsafeMutableBytes { buffer in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: filled)
            }
            filled += count
            if filled < content.count { break }
            // It grew while it was read.
            content.count *= 2
        }
        content.removeSubrange(filled...)
        return content
    }

    /// All of a file, or `nil` when there is none.
    package func contentsIfPresent(of path: String, followingLinks: Bool = true) throws -> Data? {
        do {
            return try contents(of: path, followingLinks: followingLinks)
        } catch let error as FileError where error.code == .notFound {
            return nil
        }
    }

    /// Removes a file; not an error when there is none.
    ///
    /// What was removed stays so after a power loss.
    package func removeIfPresent(_ path: String) throws {
        do {
            try remove(path)
        } catch let error as FileError where error.code == .notFound {
            return
        }
        try synchronizeDirectory(at: FilePath.folder(of: path))
    }
}
