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
        // A read inside a read, as by an accessor while results are built, would need a second connection for one thread.
        if let current = CurrentRead.statements, current.owner == ObjectIdentifier(pool) {
            return try body(current.statements)
        }
        return try pool.read { database in
            let statements = StatementCache(database, reuse: reuse)
            let current = CurrentRead.Confined(statements: statements, owner: ObjectIdentifier(pool))
            return try CurrentRead.$statements.withValue(current) { try body(statements) }
        }
    }
}
#endif
