import LarderFiles

extension LocalFileSystem {
    /// Returns whether a file exists at the path.
    ///
    /// - Throws: `FileError` if this can't be determined, for example because the user may not search the folder. Callers must not
    ///   treat the file as missing if this error is thrown.
    func isThere(_ path: String) throws -> Bool { try information(at: path) != nil }

    /// Creates a new file, calls `fill` to write its content, and waits until the content is on disk.
    ///
    /// - Throws: An error thrown by `fill`, or `FileError`, whose code is `alreadyExists` if the file exists. A call that throws leaves no
    ///   new file.
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
