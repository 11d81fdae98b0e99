import LarderFiles

extension LocalFileSystem {
    /// Whether something is at the path.
    ///
    /// Throws ``FileError`` where that can't be told, as in a folder that this user may not search: what is there is not to be taken for
    /// missing.
    func isThere(_ path: String) throws -> Bool { try information(at: path) != nil }

    /// Makes a file where nothing is yet, has it filled, and waits for the disk.
    ///
    /// Throws what `fill` throws, and ``FileError``, with `alreadyExists` when something is there; then there is no new file.
    func create(_ path: String, _ fill: (any OpenFile) throws -> Void) throws {
        let file = try open(path, FileOpenMode(isWritable: true, creation: .always, followsLinks: false))
        do {
            try fill(file)
            try file.synchronize(.everything)
            try synchronizeDirectory(at: FilePath.folder(of: path))
        } catch {
            // The first failure is what is told: on a disk that fails, removing what was begun may fail for the same reason.
            try? remove(path)
            throw error
        }
    }
}
