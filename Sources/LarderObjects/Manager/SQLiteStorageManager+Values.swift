#if Objects
internal import Foundation
internal import GRDB
internal import LarderCore

extension SQLiteStorageManager {
    /// Reads objects away from the main thread and makes plain values of them.
    ///
    /// All of it comes from one state of the database, which may be newer than what the view has merged.
    ///
    /// - Parameters:
    ///   - request: Which objects, in what order.
    ///   - transform: Makes a value of an object, also from its relationships, which are read for all objects at once.
    /// - Returns: The values.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read; what `transform`
    ///   threw.
    public func fetchValues<T: Object, Value: Sendable>(
        _ request: ObjectRequest<T>,
        _ transform: @escaping @Sendable (T) throws -> Value
    ) async throws -> [Value] {
        // Sendable: a request is only read, and nothing else holds this one.
        nonisolated(unsafe) let request = request
        let handler = InheritedIssueHandler()
        return try await withCheckedThrowingContinuation { continuation in
            valuesQueue.async {
                continuation.resume(with: handler.during { Result { try self.values(request, transform) } })
            }
        }
    }

    /// Reads objects away from the main thread as the structs that their class bridges.
    ///
    /// All of it comes from one state of the database, which may be newer than what the view has merged. Where the struct has
    /// no objects inside of it, it is filled straight from the rows, and no object is made.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The structs.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func fetchValues<T: ReadOnlyConvertible>(_ request: ObjectRequest<T>) async throws -> [T.ReadOnlyType]
    where T.ReadOnlyType: Sendable {
        // Sendable: a request is only read, and nothing else holds this one.
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

    /// The structs of rows; `nil` when there is more to them than their row.
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
                return try T.readOnlyValues(of: ObjectRow(statement, plan.entity, issues))
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
                throw ObjectError(.expired, "Values are read from what is saved: nothing can be inserted.")
            }
        )
    }

    private func values<T: Object, Value>(
        _ request: ObjectRequest<T>,
        _ transform: (T) throws -> Value
    ) throws -> [Value] { try watchedValues(request, transform).values }

    /// The values, and the names of the entities and relationships that they depend on.
    func watchedValues<T: Object, Value>(
        _ request: ObjectRequest<T>,
        _ transform: (T) throws -> Value
    ) throws -> (values: [Value], region: Set<String>) {
        do {
            return try valueReaders.read { database in
                let context = readingContext(database)
                defer { context.end() }
                context.watchRepetitions()
                context.region = []
                let values = try context.fetch(request).map(transform)
                // A relationship that could not be read says so here, since an accessor can't.
                _ = try context.openSource()
                return (values, Set((context.region ?? []).map { model.entities[$0].name }))
            }
        } catch {
            throw ObjectError.wrapping(error, path: url.path)
        }
    }
}
#endif
