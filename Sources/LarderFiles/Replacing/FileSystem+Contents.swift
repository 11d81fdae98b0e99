package import Foundation

extension FileSystem {
    /// Returns the content of the file at `path`, or throws ``FileError`` with code `notFound` if the file does not exist.
    package func contents(of path: String, followingLinks: Bool = true) throws -> Data {
        let file = try open(path, FileOpenMode(isWritable: false, followsLinks: followingLinks))
        // Nothing was written, so a failure to close the file loses no data.
        defer { try? file.close() }
        var content = Data(count: try file.information().size + 1)
        var filled = 0
        while true {
            let count = try content.withUnsafeMutableBytes { buffer in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), at: filled)
            }
            filled += count
            if filled < content.count { break }
            // The file grew during the read.
            content.count *= 2
        }
        content.removeSubrange(filled...)
        return content
    }

    /// Returns the content of the file at `path`, or `nil` if the file does not exist.
    package func contentsIfPresent(of path: String, followingLinks: Bool = true) throws -> Data? {
        do {
            return try contents(of: path, followingLinks: followingLinks)
        } catch let error as FileError where error.code == .notFound {
            return nil
        }
    }

    /// Removes the file at `path` if it exists, and makes the removal durable.
    package func removeIfPresent(_ path: String) throws {
        do {
            try remove(path)
        } catch let error as FileError where error.code == .notFound {
            return
        }
        try synchronizeDirectory(at: FilePath.folder(of: path))
    }
}
