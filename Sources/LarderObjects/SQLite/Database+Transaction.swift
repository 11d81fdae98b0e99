#if Objects
internal import GRDB

extension Database {
    /// Runs `body` in an immediate transaction whose statements are cached.
    ///
    /// - Throws: The error that `body` or SQLite throws, after the transaction is rolled back.
    func inWritingTransaction(_ body: () throws -> Void) throws {
        try cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute()
        do {
            try body()
            // When the disk is full, SQLite rolls back the transaction automatically.
            guard isInsideTransaction else {
                throw DatabaseError(
                    resultCode: .SQLITE_ABORT,
                    message: "SQLite rolled back the transaction before the commit."
                )
            }
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
            // The caller needs the first error, so a rollback error is ignored.
            try? rollback()
            throw error
        }
    }
}
#endif
