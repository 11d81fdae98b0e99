#if Objects
public import Foundation
internal import GRDB
internal import LarderCore
internal import Synchronization

extension SQLiteStorageManager {
    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and calls `completion`.
    ///
    /// If you call this method inside an operation, the new operation runs after the current operation.
    ///
    /// - Parameters:
    ///   - operation: A closure that reads and changes objects. If it throws an error, all changes are rolled back, and the error is
    ///     reported to ``issues``.
    ///   - completion: A closure that is called after the view has merged the changes, or after `operation` or the save has failed.
    ///   - queue: The queue on which `completion` is called.
    public func performAndSave(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> Void,
        completion: (@Sendable () -> Void)?,
        on queue: DispatchQueue
    ) {
        run(operation) { [issues] result in
            if case .failure(let error) = result {
                issues.report(
                    LarderIssue(
                        .writeFailed,
                        "The changes made in performAndSave were rolled back. To handle the error, use the variant whose completion "
                            + "receives a result.",
                        underlying: error
                    )
                )
            }
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Runs `operation` on the background writer, saves its changes in one transaction, merges them into the view, and passes the result to
    /// `completion`.
    ///
    /// If you call this method inside an operation, the new operation runs after the current operation.
    ///
    /// - Parameters:
    ///   - operation: A closure that reads and changes objects. If it throws an error, all changes are rolled back.
    ///   - completion: A closure that receives the result of `operation` after the view has merged the changes, or the error.
    ///   - queue: The queue on which `completion` is called.
    public func performAndSave<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void,
        on queue: DispatchQueue
    ) {
        run(operation) { result in
            ObjectCrossing.check(result)
            queue.async { completion(result) }
        }
    }

    private func run<T: Sendable>(
        _ operation: @escaping @Sendable (any WritableStorageType) throws -> T,
        _ finish: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let handler = InheritedIssueHandler()
        writerQueue.async {
            var held: [ObjectTable] = []
            let result = handler.during { Result { try self.transaction(operation, &held) } }
            // Failures take the same path as results, so that completions are called in the order of the operations.
            self.viewQueue.async {
                handler.during {
                    self.merge(upTo: (try? result.get())?.save.token)
                    finish(result.map(\.value))
                }
            }
            // Many objects are released on another queue, so as not to delay the completion or the next operation.
            guard held.reduce(0, { $0 + $1.count }) > Self.fewObjects else { return }
            let unused = UnusedObjects(tables: held)
            held = []
            self.releaseQueue.async { withExtendedLifetime(unused) {} }
        }
    }

    /// The maximum number of objects that are deallocated on the writer queue after an operation.
    ///
    /// If an operation has more objects, they are deallocated on a separate queue.
    private static let fewObjects = 100

    private func transaction<T>(
        _ operation: (any WritableStorageType) throws -> T,
        _ held: inout [ObjectTable]
    ) throws -> (value: T, save: Save) {
        try checkWritable()
        // An error that `operation` throws may come from another database.
        var isOperation = false
        do {
            return try writing { database in
                let statements = StatementCache(database, reuse: reuse)
                var outcome: (T, Save)?
                try sequence.reserving(statements) {
                    try database.inWritingTransaction {
                        let newest = try triggers.prepare(statements)
                        try foreignIDs.skip(in: sequence, statements)
                        let context = ObjectContext(
                            model: model,
                            source: WriterRows(statements),
                            isWritable: true,
                            issues: issues,
                            path: path,
                            queries: queries,
                            health: health,
                            historyColumns: historyColumns,
                            nextRowID: { [sequence] in try sequence.next(statements) }
                        )
                        defer { held = context.end() }
                        context.watchRepetitions()
                        isOperation = true
                        let value = try operation(WriterStorage(context))
                        isOperation = false
                        try context.save(isLast: true)
                        let save = try record(
                            context.saved.result,
                            author: context.author,
                            after: newest,
                            values: context.oldValues,
                            statements
                        )
                        // The triggers of programs may have inserted rows.
                        if newest != nil { try sequence.reserve(save.changes, statements) }
                        // `operation` may have encountered corruption and ignored the error.
                        try health.checkWritable()
                        outcome = (value, save)
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
        } catch {
            throw isOperation ? ObjectError.wrapping(error, path: path) : health.noting(error)
        }
    }

    /// Notes the ids of a save that was committed, so that they are not assigned again.
    func noteIDs(_ save: Save) {
        sequence.skip(save.changes)
        if let token = save.token { foreignIDs.note(token) }
    }

    /// Runs `body`, which commits at most one save, with the writer's connection.
    func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queries.meter.measuringSave {
            try trimming.whileCommitting { try inbox.whileCommitting { try writerThread.writing(pool, body) } }
        }
    }

    /// Records changes in the file, in the current transaction, unless there are none.
    ///
    /// - Parameters:
    ///   - changes: The changes, in which each row occurs once.
    ///   - author: The name under which the save is recorded, or `nil` for that of the manager.
    ///   - newest: The newest token before the transaction if the triggers in the file run, or `nil` if they are off.
    ///   - values: The values before the transaction, or `nil` if none were noted.
    ///   - statements: The connection's statement cache.
    /// - Returns: The changes with their token.
    /// - Throws: The error that SQLite reports. The caller must roll back the transaction.
    func record(
        _ changes: RowChanges,
        author: String? = nil,
        after newest: Int64? = nil,
        values: OldValues? = nil,
        _ statements: StatementCache
    ) throws -> Save {
        var values = values
        let changes =
            try newest.map {
                try FileTriggers.take(after: $0, recorded: changes, &values, saveNames, statements)
            } ?? changes
        guard !changes.isEmpty else { return Save(changes: changes, token: nil) }
        let recorder = recorder(statements, author: author)
        var saved = SavedChanges(changes, saveNames)
        if let values { saved.values = values.values(of: changes) }
        let rows = try recorder.record(saved)
        inbox.willCommit(changes, author: recorder.author, rows: rows)
        return Save(changes: changes, token: rows.upperBound)
    }

    /// Returns the writer of `larder_save` on a connection.
    func recorder(_ statements: StatementCache, author: String? = nil) -> SaveRecorder {
        SaveRecorder(statements: statements, author: author ?? self.author, now: time.now, schedule: trimming)
    }

    /// Deletes all objects, resets the view, and posts `StorageManagerDidResetStorage` with this manager as the notification's object.
    ///
    /// The call waits for all queued operations. The view's objects keep their values, but are detached from the storage manager.
    ///
    /// - Throws: ``ObjectError`` if the database can't be written, or if the method is called inside `performAndSave`. If the call throws,
    ///   nothing is changed.
    public func reset() throws {
        guard !writerThread.isCurrent else {
            throw ObjectError(
                .busy,
                "reset can't be called inside performAndSave. Call it after performAndSave has finished.",
                path: path
            )
        }
        try checkWritable()
        var changes = RowChanges(entities: model.entities.count)
        changes.isComplete = true
        var token: Int64?
        do {
            try writerQueue.sync {
                try writing { database in
                    try database.inTransaction(.immediate) {
                        let statements = StatementCache(database)
                        let newest = try triggers.prepare(statements)
                        for join in model.joinTables {
                            try statements.run("DELETE FROM \(join.table)")
                        }
                        for entity in model.entities { try statements.run("DELETE FROM \(entity.table)") }
                        if let newest { try FileTriggers.discard(after: newest, statements) }
                        token = try record(changes, statements).token
                        return .commit
                    }
                }
            }
        } catch {
            throw health.noting(error)
        }
        merge(upTo: token, isOnViewQueue: false)
        NotificationCenter.default.post(name: .StorageManagerDidResetStorage, object: self)
    }
}

/// The changes of a transaction, with the token under which they are recorded.
struct Save: Sendable {
    let changes: RowChanges
    /// The token, or `nil` if there are no changes.
    let token: Int64?
}

/// The objects of a finished operation, to be deallocated on another queue.
private struct UnusedObjects: @unchecked Sendable {
    // This is safe because nothing else refers to the tables, and the objects can't change after their context has ended.
    let tables: [ObjectTable]
}

/// The thread on which the writer's current operation runs.
final class WriterThread: Sendable {
    private let lock: WriterLock
    private let timeout: Duration
    private let thread = Mutex<ObjectIdentifier?>(nil)

    /// - Parameters:
    ///   - lock: The lock that writers of all managers and processes hold.
    ///   - timeout: The maximum time to wait for other writers.
    init(_ lock: WriterLock, within timeout: Duration) {
        self.lock = lock
        self.timeout = timeout
    }

    /// Whether the current thread is running one of the writer's operations.
    var isCurrent: Bool { thread.withLock(\.self) == ObjectIdentifier(Thread.current) }

    /// Runs `body` with the writer's connection and the lock for writers, and marks the current thread as the writer's thread.
    ///
    /// - Throws: ``ObjectError`` with code `busy` if another manager or process writes to the database for too long, or the error that `body`
    ///   throws.
    func writing<Result>(
        _ pool: DatabasePool,
        within limit: Duration? = nil,
        for purpose: WriterLock.Purpose = .saving,
        _ body: (Database) throws -> Result
    ) throws -> Result {
        try pool.writeWithoutTransaction { database in
            thread.withLock { $0 = ObjectIdentifier(Thread.current) }
            defer { thread.withLock { $0 = nil } }
            // The lock is acquired last, so that it is not held while this manager's other writers run.
            return try lock.holding(within: limit ?? timeout, for: purpose) { try body(database) }
        }
    }
}
#endif
