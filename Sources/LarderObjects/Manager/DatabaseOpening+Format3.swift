#if Objects
internal import GRDB

extension DatabaseOpening {
    /// Upgrades a database of an earlier format whose schema matches the model.
    ///
    /// The upgrade is one transaction, which takes milliseconds and reads no objects.
    ///
    /// - Parameters:
    ///   - stored: The schema that is stored in the database.
    ///   - target: The program's model.
    /// - Returns: `nil` if the database was upgraded, or the schema that another process has stored in the meantime.
    /// - Throws: ``ObjectError`` with code `busy` if another program has the database open, or a SQLite error. If the call throws, the
    ///   file is unchanged.
    func upgradeFormat(_ stored: StoredSchema, _ target: FrozenModel) throws -> StoredSchema? {
        do {
            // Exclusive, because an earlier Larder that has the file open would write without a record.
            let queue = try DatabaseQueue(path: path, configuration: MigrationConnection.configuration())
            // If closing fails, committed transactions stay in the log, and the connection is closed when the queue is released.
            defer { try? queue.close() }
            var other: StoredSchema?
            try queue.inTransaction(.immediate) { database in
                let statements = StatementCache(database)
                let found = try StoredSchema.read(statements, path: path)
                guard found.isSame(as: stored) else {
                    other = found
                    return .rollback
                }
                try stored.upgradeFormat(statements)
                try stored.completeDescription(target, statements)
                try SharingSchema.createTriggers(target.schema, statements)
                return .commit
            }
            return other
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            throw Self.busy(error, path)
        }
    }
}
#endif
