#if Objects
internal import GRDB
internal import Synchronization

/// Which statements stay prepared on their connection from one piece of work to the next.
///
/// The first that a manager meets do: a program has few queries, and one that makes up SQL without end must not keep all of it.
final class StatementReuse: Sendable {
    private static let limit = 256
    private static let longest = 8_192
    private let known = Mutex<Set<String>>([])

    func keeps(_ sql: String) -> Bool {
        guard sql.utf8.count <= Self.longest else { return false }
        return known.withLock { $0.contains(sql) || $0.count < Self.limit && $0.insert(sql).inserted }
    }
}

/// The statements of one piece of work on one connection, by their SQL.
final class StatementCache {
    let database: Database
    private let reuse: StatementReuse?
    private var statements: [String: PreparedStatement] = [:]

    /// - Parameters:
    ///   - database: The connection.
    ///   - reuse: Which statements stay prepared; none without one.
    init(_ database: Database, reuse: StatementReuse? = nil) {
        self.database = database
        self.reuse = reuse
    }

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

    /// The first column of every row.
    func integers(_ sql: String, _ values: [ColumnValue] = []) throws -> [Int64] {
        try rows(sql, values) { $0.integer(at: 0) }
    }

    /// What `body` makes of every row.
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
