#if Objects
internal import GRDB
internal import LarderCore
internal import Synchronization

/// A database whose objects can be inspected through a read connection.
protocol InspectedSource: Sendable {
    /// The path of the database file.
    var path: String { get }
    /// What inspections learned of the file.
    var knowledge: InspectedKnowledge { get }
    /// The times after which queries are interrupted.
    var inspectionLimits: InspectionLimits { get }

    /// Runs a closure with a connection that reads one snapshot of the file.
    ///
    /// - Throws: ``ObjectError`` if the database can't be read, or the error that `body` throws.
    func reading<Result>(_ body: (StatementCache) throws -> Result) throws -> Result
}

extension InspectedSource {
    /// Runs a closure with a connection and the schema of the file.
    func readingSchema<Result>(
        _ body: (StatementCache, StoredSchema, SchemaDescription) throws -> Result
    ) throws -> Result {
        try reading { statements in
            let (stored, schema) = try knowledge.schema(statements, path: path)
            return try body(statements, stored, schema)
        }
    }

    /// Runs a closure with a connection and the schema of the file, and interrupts its queries if they take too long.
    ///
    /// - Throws: `InspectionQueryError` if the queries take too long, or `CancellationError` if the current task is canceled.
    func querying<Result>(
        _ body: (StatementCache, StoredSchema, SchemaDescription) throws -> Result
    ) throws -> Result {
        try readingSchema { statements, stored, schema in
            try statements.interrupting(after: inspectionLimits.answer, orThrowing: Self.tooLong) {
                try body(statements, stored, schema)
            }
        }
    }

    private static var tooLong: InspectionQueryError {
        InspectionQueryError("The database takes too long to answer. Narrow the filter, or list fewer objects.")
    }

    /// Converts an error of SQLite to ``ObjectError``, and notes corruption.
    ///
    /// Looking at a database does not change what a manager does, so its health is not affected.
    func noting(_ error: any Error) -> any Error {
        if let error = error as? DatabaseError { knowledge.note(error) }
        return ObjectError.wrapping(error, path: path)
    }
}

/// What the inspections of a file learned of it.
final class InspectedKnowledge: Sendable {
    private let known = Mutex<(stored: StoredSchema, schema: SchemaDescription)?>(nil)
    private let isDamaged = Atomic(false)

    /// Returns the schema in the current snapshot, which another program may migrate at any time.
    ///
    /// - Throws: ``ObjectError`` if the file is not a database of objects, or if the schema can't be decoded.
    func schema(
        _ statements: StatementCache,
        path: String
    ) throws -> (stored: StoredSchema, schema: SchemaDescription) {
        let stored = try StoredSchema.read(statements, path: path)
        if let known = known.withLock(\.self), known.stored.isSame(as: stored) { return known }
        let schema = try stored.description()
        known.withLock { $0 = (stored, schema) }
        return (stored, schema)
    }

    /// Notes an error of SQLite.
    func note(_ error: DatabaseError) {
        if error.resultCode == .SQLITE_CORRUPT { isDamaged.store(true, ordering: .relaxed) }
    }

    /// The health of the file, as far as inspections have read it.
    var health: String {
        isDamaged.load(ordering: .relaxed) ? "corrupt, as far as it was shown. Check it with the action verify" : "good"
    }
}
#endif
