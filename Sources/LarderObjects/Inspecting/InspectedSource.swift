#if Objects
internal import Synchronization

/// A database whose objects can be inspected through a read connection.
protocol InspectedSource: Sendable {
    /// The path of the database file.
    var path: String { get }
    /// The cache of the decoded schema.
    var schemas: StoredSchemaCache { get }

    /// Runs a closure with a connection that reads one snapshot of the file.
    ///
    /// - Throws: ``ObjectError`` if the database can't be read, or the error that `body` throws.
    func reading<Result>(_ body: (StatementCache) throws -> Result) throws -> Result
}

/// A cache of the decoded schema of a file, which another program may migrate at any time.
final class StoredSchemaCache: Sendable {
    private let known = Mutex<(stored: StoredSchema, schema: SchemaDescription)?>(nil)

    /// Returns the schema in the current snapshot.
    ///
    /// - Throws: ``ObjectError`` if the file is not a database of objects, or if the schema can't be decoded.
    func read(_ statements: StatementCache, path: String) throws -> (stored: StoredSchema, schema: SchemaDescription) {
        let stored = try StoredSchema.read(statements, path: path)
        if let known = known.withLock(\.self), known.stored.isSame(as: stored) { return known }
        let schema = try stored.description()
        known.withLock { $0 = (stored, schema) }
        return (stored, schema)
    }
}
#endif
