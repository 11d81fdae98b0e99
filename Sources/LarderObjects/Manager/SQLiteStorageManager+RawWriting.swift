#if Objects
public import GRDB
internal import Dispatch
internal import LarderCore

extension SQLiteStorageManager {
    /// Runs raw SQL on the background writer in one transaction, and merges the changes into `viewStorage`.
    ///
    /// The model's delete rules, defaults and validation don't apply to raw SQL. Set the `objectID` column of an inserted row to
    /// `larder_next_id()`, which never returns an id twice. One call can use up to 2,000 new ids.
    ///
    /// Raw SQL has a connection of its own. Its temporary tables and settings remain until the manager is closed, but a `PRAGMA` does not
    /// affect `performAndSave`. A trigger that `body` creates in the file runs from the next call on.
    ///
    /// - Parameter body: A closure that writes to the database. The closure must not retain the connection.
    /// - Returns: The result of `body`, after `viewStorage` has merged the changes.
    /// - Throws: The error that `body` or SQLite throws, after the transaction is rolled back.
    @discardableResult
    public func write<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            writerQueue.async {
                let result = handler.during { Result { try self.recorded(body) } }
                self.viewQueue.async {
                    handler.during { self.merge(upTo: (try? result.get())?.save.token) }
                    continuation.resume(with: result.map(\.value))
                }
            }
        }
    }

    private func recorded<T>(_ body: (Database) throws -> T) throws -> (value: T, save: Save) {
        try checkWritable()
        do {
            return try writing { _ in
                try rawConnection.writing { database, recorder in
                    let statements = StatementCache(database)
                    var outcome: (T, Save)?
                    try sequence.reserving(statements) {
                        try recorder.begin(database, StoredHistoryPolicy.read(statements))
                        try database.inTransaction(.immediate) {
                            let newest = try rawConnection.triggers.prepare(statements)
                            try foreignIDs.skip(in: sequence, statements)
                            let value = try body(database)
                            try refold(recorder, statements)
                            let changes = try recorder.changes(statements)
                            try sequence.reserve(changes, statements)
                            if let newest { try FileTriggers.discard(after: newest, statements) }
                            let save = try record(changes, values: recorder.oldValues, statements)
                            // `body` may have encountered corruption and ignored the error.
                            try health.checkWritable()
                            outcome = (value, save)
                            return .commit
                        }
                    }
                    guard let outcome else {
                        throw ObjectError(
                            .database,
                            "The transaction ended without a result. Report this as a bug in Larder."
                        )
                    }
                    noteIDs(outcome.1)
                    return outcome
                }
            }
        } catch {
            throw health.noting(error)
        }
    }

    /// Updates the case-folded search columns of rows that raw SQL changed.
    private func refold(_ recorder: RawRecorder, _ statements: StatementCache) throws {
        for entity in model.entities where entity.hasFoldedColumns {
            let ids = recorder.noted(entity)
            guard !ids.isEmpty else { continue }
            for (attribute, folded) in entity.foldedColumns {
                let column = entity.columns[folded].quotedName
                let text = "larder_folded(\(entity.columns[attribute].quotedName))"
                try statements.run(
                    "UPDATE \(entity.table) SET \(column) = \(text) WHERE \(column) IS NOT \(text) AND "
                        + "\(ResolvedEntity.quotedKeyColumn) IN (SELECT value FROM json_each(?))",
                    [ObjectContext.list(ids)]
                )
            }
        }
    }
}
#endif
