#if Objects
internal import LarderFiles

/// The device and inode of each file of an open database, used to detect removed or replaced files.
///
/// SQLite would continue to write to the removed files, and those commits would be lost. With a new lock file, other processes would not wait
/// for this one.
struct DatabasePlace: Sendable {
    private struct File: Sendable, Equatable {
        let device: UInt64
        let inode: UInt64

        init?(at path: String, _ files: any FileSystem) throws {
            guard let information = try files.information(at: path, followingLinks: true) else { return nil }
            device = information.device
            inode = information.inode
        }
    }

    private let path: String
    private let expected: [(path: String, file: File)]
    private let files: any FileSystem = LocalFileSystem()

    /// Records the device and inode of each file of the open database at `path`.
    init(of path: String) throws {
        self.path = path
        let place = try files.resolvingLinks(in: path)
        file = place
        log = place + "-wal"
        expected = try [place, place + "-wal", place + WriterLock.suffix].compactMap { [files] path in
            try File(at: path, files).map { (path, $0) }
        }
    }

    /// The path of the database file, without symbolic links.
    let file: String
    /// The path of the write-ahead log.
    let log: String

    /// Throws ``ObjectError`` with code `inaccessible` if a file was removed, renamed or replaced.
    ///
    /// - Complexity: Three system calls.
    func check() throws {
        for (place, file) in expected {
            do {
                if try File(at: place, files) == file { continue }
            } catch let error as FileError {
                throw DatabaseOpening.error(error, path)
            }
            throw ObjectError(
                .inaccessible,
                "Nothing was saved because \"\(place)\" was removed, renamed or replaced while the database was open. Put the "
                    + "file back, or close this manager and open a new one.",
                path: path
            )
        }
    }
}
#endif
