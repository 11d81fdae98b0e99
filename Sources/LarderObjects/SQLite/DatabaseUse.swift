#if Objects
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// Whether a database file is in use.
enum DatabaseUse {
    private struct Answered: Error {}

    /// Whether any connection, of this process or another, has the file open with a write-ahead log, or is reading or writing it.
    ///
    /// Asks SQLite's own locks. Nothing is read or changed: the file may be damaged, or no database.
    static func isInUse(_ path: String) -> Bool {
        let answer = Mutex(false)
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            let isInUse = isLocked(database)
            answer.withLock { $0 = isInUse }
            // The connection ends before it reads anything.
            throw Answered()
        }
        _ = try? DatabaseQueue(path: path, configuration: configuration)
        return answer.withLock(\.self)
    }

    /// Whether the lock that only one connection can have is refused.
    private static func isLocked(_ database: Database) -> Bool {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let result = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard result == SQLITE_OK, let file, let methods = file.pointee.pMethods?.pointee, let lock = methods.xLock,
            let unlock = methods.xUnlock
        else { return false }
        defer { _ = unlock(file, SQLITE_LOCK_NONE) }
        guard lock(file, SQLITE_LOCK_SHARED) == SQLITE_OK else { return true }
        return lock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_BUSY
    }
}
#endif
