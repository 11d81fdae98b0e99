#if Objects
internal import Foundation
internal import GRDB

extension ObjectError {
    /// The error to show for what GRDB or SQLite reported.
    ///
    /// An error that is one of ours already, or that a user's closure threw, is passed through as it is.
    static func wrapping(_ error: any Error, path: String?) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let place = path
        switch error.resultCode {
        case .SQLITE_NOTADB:
            return ObjectError(
                .notADatabase,
                "The file is no SQLite database: nothing was changed, choose another file.",
                path: place,
                underlying: error
            )
        case .SQLITE_CORRUPT:
            return ObjectError(
                .damaged,
                "The database is damaged: nothing was changed; restore a copy, or move it aside and start anew.",
                path: place,
                underlying: error
            )
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            return ObjectError(
                .busy,
                "Another writer has the database locked, in this process or another: try again when it is done.",
                path: place,
                underlying: error
            )
        case .SQLITE_FULL:
            return ObjectError(
                .diskFull,
                "The disk is full: nothing was changed; make room and try again.",
                path: place,
                underlying: error
            )
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
            return ObjectError(
                .inaccessible,
                "The database can't be opened, read or written here: check the path and its permissions.",
                path: place,
                underlying: error
            )
        case .SQLITE_CONSTRAINT where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE:
            return ObjectError(
                .duplicate,
                "Nothing was saved, because two objects would have the same value where it must be unique: "
                    + (error.message ?? "unknown property") + ".",
                path: place,
                underlying: error
            )
        default:
            return ObjectError(
                .database,
                "SQLite could not carry out what was asked of it; nothing was changed.",
                path: place,
                underlying: error
            )
        }
    }
}
#endif
