import LarderFiles

extension LocalFileSystem {
    /// Returns whether a file exists at the path.
    ///
    /// - Throws: `FileError` if this can't be determined, for example without search permission for the folder.
    func isThere(_ path: String) throws -> Bool { try information(at: path) != nil }

    /// Creates a new file, calls `fill` to write its content, and syncs the file and its folder to disk.
    ///
    /// - Throws: An error thrown by `fill`, or `FileError`, whose code is `alreadyExists` if the file exists. If the call throws, no new
    ///   file is left.
    func create(_ path: String, _ fill: (any OpenFile) throws -> Void) throws {
        let file = try open(path, FileOpenMode(isWritable: true, creation: .always, followsLinks: false))
        do {
            try fill(file)
            try file.synchronize(.everything)
            try synchronizeDirectory(at: FilePath.folder(of: path))
        } catch {
            // Only the first error is thrown, because on a failing disk, removing the file may fail for the same reason.
            try? remove(path)
            throw error
        }
    }
}
