#if Objects
internal import GRDB
internal import Synchronization

/// A limit on the number of statements that remain prepared on a manager's connections.
///
/// Only a manager's first 256 distinct statements remain prepared, so a program that generates SQL does not fill the cache.
final class StatementReuse: Sendable {
    private static let limit = 256
    private static let longest = 8_192
    private let known = Mutex<Set<String>>([])

    func keeps(_ sql: String) -> Bool {
        guard sql.utf8.count <= Self.longest else { return false }
        return known.withLock { $0.contains(sql) || $0.count < Self.limit && $0.insert(sql).inserted }
    }
}

/// A cache of the statements that one operation prepares on one connection, keyed by SQL.
final class StatementCache {
    let database: Database
    private let reuse: StatementReuse?
    private var statements: [String: PreparedStatement] = [:]
    /// The limit of the queries that run now, if ``checking(_:_:)`` runs them.
    var limit: QueryLimit?

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - database: The connection on which statements are prepared.
    ///   - reuse: The limit on the statements that remain prepared for later operations, or `nil` to finalize all statements.
    init(_ database: Database, reuse: StatementReuse? = nil) {
        self.database = database
        self.reuse = reuse
    }

    /// Removes all statements, finalizing each statement or returning it to the connection's cache.
    func removeAll() { statements.removeAll() }

    private func prepare(_ sql: String) throws -> PreparedStatement {
        if let reuse, reuse.keeps(sql), let cached = try? database.cachedStatement(sql: sql),
            let statement = PreparedStatement(borrowing: cached, on: database)
        {
            return statement
        }
        return try PreparedStatement(sql, on: database)
    }

    func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = statements[sql] { return statement }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    func run(_ sql: String, _ values: [ColumnValue] = []) throws {
        let statement = try statement(sql)
        statement.bind(values)
        try statement.run()
    }

    /// Runs a query and returns the first column of each row as an integer.
    func integers(_ sql: String, _ values: [ColumnValue] = []) throws -> [Int64] {
        try rows(sql, values) { $0.integer(at: 0) }
    }

    /// Runs a query and returns the result of `body` for each row.
    func rows<Result>(
        _ sql: String,
        _ values: [ColumnValue] = [],
        _ body: (PreparedStatement) throws -> Result
    ) throws -> [Result] {
        let statement = try prepare(sql)
        statement.bind(values)
        var results: [Result] = []
        while try statement.step() { results.append(try body(statement)) }
        return results
    }
}
#endif
