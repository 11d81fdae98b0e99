#if Objects
public import Foundation
internal import GRDB
internal import LarderFiles

extension SQLiteStorageManager {
    /// Writes a copy of the database to another file, while reads and saves go on.
    ///
    /// The copy has everything that was committed when the call began. It is one file, complete without `-wal`, and appears under its name
    /// when it is whole and checked. Copying the file with `FileManager` instead releases SQLite's locks, misses what is in the log, and
    /// can lose commits.
    ///
    /// - Parameter url: The copy. Nothing may be there; its folder is created if it is missing.
    /// - Throws: ``ObjectError``: `inaccessible` when something is at `url` or nothing can be written there, `diskFull`, or `damaged`
    ///   when SQLite finds a fault in the copy, and so in the database. Nothing is left at `url` then, and the database is unchanged.
    /// - Complexity: Reads the whole file twice.
    public func backup(to url: URL) throws {
        let files: any FileSystem = LocalFileSystem()
        let (path, unfinished) = (url.path, url.path + "-unfinished")
        do {
            try files.createDirectory(at: FilePath.folder(of: path))
            guard try files.information(at: path, followingLinks: false) == nil else {
                throw ObjectError(
                    .inaccessible,
                    "The backup was not made, because something is at its path already: choose another path, or remove what is there.",
                    path: path
                )
            }
            defer { Self.removeUnfinished(unfinished, files) }
            Self.removeUnfinished(unfinished, files)
            let copy = try DatabaseQueue(path: unfinished, configuration: DatabaseOpening.configuration())
            try pool.backup(to: copy)
            let finding = try copy.read { database in
                try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") ?? "no answer"
            }
            try copy.close()
            guard finding == "ok" else {
                health.noteDamage(finding)
                throw ObjectError(
                    .damaged,
                    "The backup was not made, because SQLite finds the database damaged (\(finding)): restore an earlier copy.",
                    path: self.url.path
                )
            }
            try files.rename(unfinished, to: path)
            try files.synchronizeDirectory(at: FilePath.folder(of: path))
        } catch let error as FileError {
            throw DatabaseOpening.error(error, path)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw health.noting(error)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Removes what an interrupted backup left.
    private static func removeUnfinished(_ path: String, _ files: any FileSystem) {
        // What can't be removed is in the way of the next backup, which says so.
        for suffix in ["", "-wal", "-shm", "-journal"] { try? files.removeIfPresent(path + suffix) }
    }
}
#endif
