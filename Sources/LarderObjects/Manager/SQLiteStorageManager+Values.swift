#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore

extension SQLiteStorageManager {
    /// Fetches objects on a background thread and maps each object to a plain value.
    ///
    /// All values come from one snapshot of the database, which may be newer than the last commit that the view has merged.
    ///
    /// - Parameters:
    ///   - request: The filter, the sort order and the limits.
    ///   - transform: A closure that maps an object to a value. Relationships that the closure reads are fetched for all objects at once.
    /// - Returns: The values in the order of the request.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read, or the error that `transform`
    ///   throws.
    public func fetchValues<T: Object, Value: Sendable>(
        _ request: ObjectRequest<T>,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) async throws -> [Value] {
        // This is safe because nothing changes the request and only this call uses it.
        nonisolated(unsafe) let request = request
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            valuesQueue.async {
                continuation.resume(with: handler.during { Result { try self.values(request, transform) } })
            }
        }
    }

    /// Fetches objects on a background thread and converts each object to a struct of type `ReadOnlyType`.
    ///
    /// All structs come from one snapshot of the database, which may be newer than the last commit that the view has merged. If the struct
    /// contains no nested objects, it is created directly from the rows, without creating objects.
    ///
    /// - Parameter request: The filter, the sort order and the limits.
    /// - Returns: The structs in the order of the request.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
    public func fetchValues<T: ReadOnlyConvertible>(_ request: ObjectRequest<T>) async throws -> [T.ReadOnlyType]
    where T.ReadOnlyType: Sendable {
        // This is safe because nothing changes the request and only this call uses it.
        nonisolated(unsafe) let request = request
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            valuesQueue.async {
                continuation.resume(
                    with: handler.during {
                        Result { try self.directValues(request) ?? self.values(request) { $0.toReadOnly() } }
                    }
                )
            }
        }
    }

    /// Creates structs directly from rows, or returns `nil` if the rows do not contain all values.
    private func directValues<T: ReadOnlyConvertible>(_ request: ObjectRequest<T>) throws -> [T.ReadOnlyType]? {
        do {
            return try valueReaders.read { database in
                let context = readingContext(database)
                defer { context.end() }
                let plan = try context.plan(request)
                let (sql, values) = plan.page(request)
                queries.count(sql)
                let statement = try PreparedStatement(sql, on: database)
                statement.bind(values)
                return try queries.meter.measuring([sql]) {
                    try T.readOnlyValues(of: ObjectRow(statement, plan.entity, issues))
                }
            }
        } catch {
            throw health.noting(error)
        }
    }

    private func readingContext(_ database: Database) -> ObjectContext {
        ObjectContext(
            model: model,
            source: WriterRows(StatementCache(database, reuse: reuse)),
            isWritable: false,
            issues: issues,
            path: url.path,
            queries: queries,
            health: health,
            nextRowID: {
                throw ObjectError(
                    .expired,
                    "Objects can't be inserted inside fetchValues, which is read-only. Insert them in performAndSave."
                )
            }
        )
    }

    private func values<T: Object, Value>(
        _ request: ObjectRequest<T>,
        _ transform: (T) throws -> Value
    ) throws -> [Value] {
        try readingValues { context in
            let values = try context.fetch(request).map(transform)
            // This throws the recorded error of a relationship, whose accessor can't throw.
            _ = try context.openSource()
            return values
        }
    }

    /// Runs `body` with a context that reads one snapshot of the database.
    ///
    /// The closure may run client code.
    func readingValues<Result>(_ body: (ObjectContext) throws -> Result) throws -> Result {
        do {
            return try valueReaders.read { database in
                let context = readingContext(database)
                defer { context.end() }
                context.watchRepetitions()
                return try body(context)
            }
        } catch {
            throw ObjectError.wrapping(error, path: url.path)
        }
    }
}
#endif
