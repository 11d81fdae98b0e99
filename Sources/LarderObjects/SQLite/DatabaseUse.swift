#if Objects
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

enum DatabaseUse {
    private struct Answered: Error {}

    /// Returns whether a connection in any process is reading or writing the file, or has the file open in WAL mode.
    ///
    /// The check tests SQLite's locks without reading the file, so the file may be corrupt or not a database.
    static func isInUse(_ path: String) -> Bool {
        let answer = Mutex(false)
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            let isInUse = isLocked(database)
            answer.withLock { $0 = isInUse }
            // This error closes the connection before SQLite reads the file.
            throw Answered()
        }
        _ = try? DatabaseQueue(path: path, configuration: configuration)
        return answer.withLock(\.self)
    }

    /// Returns whether another connection holds a lock that prevents an exclusive lock on the database.
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
