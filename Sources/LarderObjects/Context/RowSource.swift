#if Objects
internal import GRDB

/// A database connection or connection pool from which a context reads rows.
protocol RowSource: AnyObject {
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result
}

/// A source that reads rows through the writer's connection, including uncommitted changes.
final class WriterRows: RowSource {
    private let statements: StatementCache
    init(_ statements: StatementCache) { self.statements = statements }
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result { try body(statements) }
}

/// A source that reads committed rows through the connection pool.
final class CommittedRows: RowSource {
    private let pool: DatabasePool
    private let reuse: StatementReuse
    init(_ pool: DatabasePool, _ reuse: StatementReuse) {
        self.pool = pool
        self.reuse = reuse
    }
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
        // `body` must not run client code, which may read the view, because GRDB traps on nested reads.
        try pool.read { try body(StatementCache($0, reuse: reuse)) }
    }
}
#endif
