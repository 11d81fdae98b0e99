#if Objects
import GRDB
import GRDBSQLite

@testable import LarderObjects

extension SQLiteStorageManager {
    /// Runs `body` on the current thread with one snapshot of the database.
    func reading<Result>(_ body: (Database) throws -> Result) throws -> Result { try pool.read(body) }
}

/// Runs `body`, and returns its result with the number of steps that SQLite's virtual machine takes for the connection's statements.
func steps<Result>(on database: Database, _ body: () throws -> Result) rethrows -> (result: Result, steps: Int) {
    let counter = StepCounter()
    let result = try withExtendedLifetime(counter) {
        let context = Unmanaged.passUnretained(counter).toOpaque()
        sqlite3_trace_v2(
            database.sqliteConnection,
            UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context, let statement else { return 0 }
                let steps = sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
                Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().steps += Int(steps)
                return 0
            },
            context
        )
        defer { sqlite3_trace_v2(database.sqliteConnection, 0, nil, nil) }
        return try body()
    }
    return (result, counter.steps)
}

private final class StepCounter {
    var steps = 0
}
#endif
