#if Objects
internal import LarderFiles

/// Where the files of an open database are, to notice that another program removed, renamed or replaced them.
///
/// SQLite would go on writing to files that no name leads to, and what it commits there is lost when the manager is closed.
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

    /// Looks where the files of the open database at `path` are.
    init(of path: String) throws {
        self.path = path
        let place = try files.resolvingLinks(in: path)
        expected = try [place, place + "-wal"].compactMap { [files] path in
            try File(at: path, files).map { (path, $0) }
        }
    }

    /// Throws ``ObjectError`` of code `inaccessible` if a file is no longer where it was.
    ///
    /// - Complexity: Asks the file system twice.
    func check() throws {
        for (place, file) in expected {
            do {
                if try File(at: place, files) == file { continue }
            } catch let error as FileError {
                throw DatabaseOpening.error(error, path)
            }
            throw ObjectError(
                .inaccessible,
                "Nothing was saved: \(place) was removed, renamed or replaced while the database was open. Put the file back, or close this "
                    + "manager and open another.",
                path: path
            )
        }
    }
}
#endif
