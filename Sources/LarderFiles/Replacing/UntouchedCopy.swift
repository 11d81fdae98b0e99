import LarderCore

/// A namespace for functions that copy files as they are at one moment, without locking or changing them.
package enum UntouchedCopy {
    private static let attempts = 200
    private static let pause = Duration.milliseconds(20)
    private static let blockSize = 1 << 20
    /// The length of the header of a write-ahead log, which changes whenever the log begins anew.
    private static let walHeaderLength = 32

    /// Copies an SQLite database and its write-ahead log to a folder.
    ///
    /// SQLite itself would create a `-shm` file beside the database. The copy contains the commits of one moment: it is repeated if a
    /// checkpoint changes the database, or begins a new log, during the copy.
    ///
    /// - Parameters:
    ///   - path: The path of the database.
    ///   - folder: The path of an existing folder, which must not be the folder of the database.
    /// - Returns: The path of the copy.
    /// - Throws: `FileError` if the files can't be copied, with code `busy` if programs change the database during every attempt.
    package static func ofDatabase(at path: String, into folder: String) throws -> String {
        let fileSystem = LocalFileSystem.local
        let path = try fileSystem.resolvingLinks(in: path)
        let name = path.split(separator: "/").last.map(String.init) ?? "database"
        let copy = FilePath.joining(folder, name)
        for _ in 0..<attempts {
            let before = try state(of: path, on: fileSystem)
            guard before.file != nil else { throw FileError(.notFound, .read, path) }
            for suffix in ["", "-wal"] {
                try? fileSystem.remove(copy + suffix)
                try self.copy(path + suffix, to: copy + suffix, on: fileSystem)
            }
            if try state(of: path, on: fileSystem) == before { return copy }
            CurrentProcess.sleep(for: pause)
        }
        throw FileError(.busy, .read, path, detail: "programs changed it during every attempt to copy it")
    }

    private struct State: Equatable {
        var file: FileInformation?
        var walHeader: [UInt8]?
    }

    private static func state(of path: String, on fileSystem: LocalFileSystem) throws -> State {
        var state = State(file: try fileSystem.information(at: path, followingLinks: true))
        if try fileSystem.information(at: path + "-wal", followingLinks: true) != nil {
            state.walHeader = try fileSystem.open(path + "-wal", .reading).read(at: 0, count: walHeaderLength)
        }
        return state
    }

    private static func copy(_ source: String, to destination: String, on fileSystem: LocalFileSystem) throws {
        guard try fileSystem.information(at: source, followingLinks: true) != nil else { return }
        let file = try fileSystem.open(source, .reading)
        let mode = FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
        let copy = try fileSystem.open(destination, mode)
        var offset = 0
        while true {
            let block = try file.read(at: offset, count: blockSize)
            guard !block.isEmpty else { return try copy.close() }
            try copy.write(block, at: offset)
            offset += block.count
        }
    }
}
