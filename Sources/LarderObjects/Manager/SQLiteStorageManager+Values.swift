#if Objects
internal import Foundation
internal import GRDB

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
        return try await withCheckedThrowingContinuation { continuation in
            valuesQueue.async { continuation.resume(with: Result { try self.values(request, transform) }) }
        }
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
            return try pool.read { database in
                let context = ObjectContext(
                    model: model,
                    source: WriterRows(database),
                    isWritable: false,
                    issues: issues,
                    path: url.path,
                    queries: queries,
                    nextRowID: {
                        throw ObjectError(.expired, "Values are read from what is saved: nothing can be inserted.")
                    }
                )
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
