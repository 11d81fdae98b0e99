#if Objects
public import Foundation
internal import GRDB
internal import LarderCore
internal import Synchronization

extension SQLiteStorageManager {
    /// Runs work on the one background writer, saves in one transaction, merges into the view, then completes.
    ///
    /// Called from inside such work, it waits its turn behind it.
    ///
    /// - Parameters:
    ///   - operation: The work. When it throws, neither the database nor memory is changed, which is reported to
    ///     ``issues``.
    ///   - completion: Called at the end in any case, when the view has what was saved.
    ///   - queue: Where `completion` is called.
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
                        "What performAndSave did was undone: use the form with a result to be told in code.",
                        underlying: error
                    )
                )
            }
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Runs work on the one background writer, saves in one transaction, merges into the view, then hands the result over.
    ///
    /// Called from inside such work, it waits its turn behind it.
    ///
    /// - Parameters:
    ///   - operation: The work. When it throws, neither the database nor memory is changed.
    ///   - completion: Gets what `operation` returned when the view has what was saved, or why nothing was.
    ///   - queue: Where `completion` is called.
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
            // Failures take the same way, so that completions come in the order of the work.
            self.viewQueue.async {
                handler.during {
                    if case .success(let outcome) = result { self.merge(outcome.changes) }
                    finish(result.map(\.value))
                }
            }
            // Neither the completion nor the next work waits for many objects to be released; few are not worth a thread.
            guard held.reduce(0, { $0 + $1.count }) > Self.fewObjects else { return }
            let unused = UnusedObjects(tables: held)
            held = []
            self.releaseQueue.async { withExtendedLifetime(unused) {} }
        }
    }

    /// How many objects are released where they were used.
    private static let fewObjects = 100

    private func transaction<T>(
        _ operation: (any WritableStorageType) throws -> T,
        _ held: inout [ObjectTable]
    ) throws -> (value: T, changes: RowChanges) {
        try checkWritable()
        // An error that `operation` throws may come from another database.
        var isOperation = false
        do {
            return try writerThread.writing(pool) { database in
                let statements = StatementCache(database, reuse: reuse)
                try sequence.refill(statements)
                var outcome: (T, RowChanges)?
                try database.inTransaction(.immediate) {
                    let context = ObjectContext(
                        model: model,
                        source: WriterRows(statements),
                        isWritable: true,
                        issues: issues,
                        path: url.path,
                        queries: queries,
                        health: health,
                        nextRowID: { [sequence] in try sequence.next(statements) }
                    )
                    defer { held = context.end() }
                    context.watchRepetitions()
                    isOperation = true
                    let value = try operation(WriterStorage(context))
                    isOperation = false
                    try context.save(isLast: true)
                    // The work may have met damage and gone on.
                    try health.checkWritable()
                    outcome = (value, context.saved.result)
                    return .commit
                }
                guard let outcome else { throw ObjectError(.database, "The transaction ended without a result.") }
                return outcome
            }
        } catch {
            throw isOperation ? ObjectError.wrapping(error, path: url.path) : health.noting(error)
        }
    }

    /// Deletes all objects, empties the view, and posts `StorageManagerDidResetStorage` with this manager as its object.
    ///
    /// Waits for work that was handed over before. Objects of the view keep their values and belong to nothing any more.
    ///
    /// - Throws: ``ObjectError`` when the database refused, or when called inside `performAndSave`; nothing was changed then.
    public func reset() throws {
        guard !writerThread.isCurrent else {
            throw ObjectError(.busy, "reset was called inside performAndSave: call it outside.", path: url.path)
        }
        try checkWritable()
        do {
            try writerQueue.sync {
                try pool.writeWithoutTransaction { database in
                    try database.inTransaction(.immediate) {
                        let statements = StatementCache(database)
                        for (join, _) in SchemaStatements(model: model).joinTables() {
                            try statements.run("DELETE FROM \(join.table)")
                        }
                        for entity in model.entities { try statements.run("DELETE FROM \(entity.table)") }
                        return .commit
                    }
                }
            }
        } catch {
            throw health.noting(error)
        }
        var changes = RowChanges(entities: model.entities.count)
        changes.isComplete = true
        merge(changes)
        NotificationCenter.default.post(name: .StorageManagerDidResetStorage, object: self)
    }
}

/// The objects of work that has ended, on their way to be let go.
private struct UnusedObjects: @unchecked Sendable {
    // Sendable: nobody else has the tables, and the context of the objects has ended, so that nothing of them changes any more.
    let tables: [ObjectTable]
}

/// The thread that a manager's writer runs work on, so that a call from inside that work can be refused.
///
/// The queue does not tell: GRDB runs the work on a queue of its own.
final class WriterThread: Sendable {
    private let thread = Mutex<ObjectIdentifier?>(nil)

    /// Whether this thread is inside the writer's work.
    var isCurrent: Bool { thread.withLock(\.self) == ObjectIdentifier(Thread.current) }

    /// Runs work with the connection that writes.
    func writing<Result>(_ pool: DatabasePool, _ body: (Database) throws -> Result) throws -> Result {
        thread.withLock { $0 = ObjectIdentifier(Thread.current) }
        defer { thread.withLock { $0 = nil } }
        return try pool.writeWithoutTransaction(body)
    }
}
#endif
