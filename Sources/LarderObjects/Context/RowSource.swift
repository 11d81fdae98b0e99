#if Objects
internal import GRDB

/// Where a context reads rows.
protocol RowSource: AnyObject {
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result
}

/// Reads through the connection that the writer holds, and so sees what it has not committed.
final class WriterRows: RowSource {
    private let statements: StatementCache
    init(_ statements: StatementCache) { self.statements = statements }
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result { try body(statements) }
}

/// Reads what is committed, each time through whichever connection is free.
final class CommittedRows: RowSource {
    private let pool: DatabasePool
    private let reuse: StatementReuse
    init(_ pool: DatabasePool, _ reuse: StatementReuse) {
        self.pool = pool
        self.reuse = reuse
    }
    func read<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
        // No caller's code runs in `body`: a read of the view within it would be a read within a read, which GRDB refuses by trapping.
        try pool.read { try body(StatementCache($0, reuse: reuse)) }
    }
}
#endif
