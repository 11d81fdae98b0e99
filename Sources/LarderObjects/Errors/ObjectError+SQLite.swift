#if Objects
internal import Foundation
internal import GRDB

extension ObjectError {
    /// Converts a `DatabaseError` to ``ObjectError``, and returns any other error unchanged.
    static func wrapping(_ error: any Error, path: String?) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let place = path
        switch error.resultCode {
        case .SQLITE_NOTADB:
            return ObjectError(
                .notADatabase,
                "The file is not a SQLite database, so nothing was changed. Choose another file.",
                path: place,
                underlying: error
            )
        case .SQLITE_CORRUPT:
            return ObjectError(
                .damaged,
                "The database is corrupt, so nothing was changed. Restore a backup, or rename the file and create a new database.",
                path: place,
                underlying: error
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return ObjectError(
                .busy,
                "The database is locked by a program that does not use Larder's lock, so nothing was changed. Try again later, or end that "
                    + "program.",
                path: place,
                underlying: error
            )
        case _ where error.isDiskFull:
            return ObjectError(
                .diskFull,
                "The disk is full, so nothing was changed. Free some space and try again.",
                path: place,
                underlying: error
            )
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
            return ObjectError(
                .inaccessible,
                "The database can't be opened, read or written. Check its path and permissions.",
                path: place,
                underlying: error
            )
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE:
            return ObjectError(
                .duplicate,
                "Nothing was saved because two objects have the same value of a unique property ("
                    + (error.message ?? "unknown property") + "). Change one of the values.",
                path: place,
                underlying: error
            )
        default:
            return ObjectError(
                .database,
                "SQLite reported an error, so nothing was changed. See the underlying error.",
                path: place,
                underlying: error
            )
        }
    }
}

extension DatabaseError {
    /// Whether the error means that the disk is full.
    fileprivate var isDiskFull: Bool {
        resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE
    }
}
#endif
