import LarderFiles

extension LocalFileSystem {
    /// Makes a file of these bytes, where nothing is yet, and waits for the disk; after a failure there is none.
    func create(_ path: String, _ bytes: [UInt8]) throws {
        let file = try open(path, FileOpenMode(isWritable: true, creation: .always, followsLinks: false))
        do {
            try file.write(bytes, at: 0)
            try file.synchronize(.everything)
            try synchronizeDirectory(at: FilePath.folder(of: path))
        } catch {
            try? remove(path)
            throw error
        }
    }
}
