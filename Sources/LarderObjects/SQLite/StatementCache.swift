#if Objects
internal import GRDB

/// The statements of one piece of work on one connection, by their SQL.
final class StatementCache {
    let database: Database
    private var statements: [String: PreparedStatement] = [:]

    init(_ database: Database) { self.database = database }

    func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = statements[sql] { return statement }
        let statement = try PreparedStatement(sql, on: database)
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
        let statement = try PreparedStatement(sql, on: database)
        statement.bind(values)
        var results: [Result] = []
        while try statement.step() { results.append(try body(statement)) }
        return results
    }
}
#endif
