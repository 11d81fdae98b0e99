#if Objects
internal import GRDB
internal import GRDBSQLite

/// The time after which a query is interrupted, or a closure that interrupts it.
private final class QueryLimit {
    private let check: () throws -> Void
    private(set) var error: (any Error)?

    init(_ check: @escaping () throws -> Void) { self.check = check }

    /// Returns whether the query must end.
    func isReached() -> Bool {
        do {
            try check()
            return false
        } catch {
            self.error = error
            return true
        }
    }
}

extension StatementCache {
    /// The number of SQLite's instructions between two checks, which take far less than a millisecond.
    private static let instructions: Int32 = 10_000

    private struct Late: Error {}

    /// Runs queries, which end early when a closure throws an error.
    ///
    /// - Parameters:
    ///   - check: A closure that is called while queries run.
    ///   - body: A closure that runs queries.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `check` throws, or else the error that `body` throws.
    func checking<Result>(_ check: () throws -> Void, _ body: () throws -> Result) throws -> Result {
        try withoutActuallyEscaping(check) { check in
            let limit = QueryLimit(check)
            let connection = database.sqliteConnection
            // The limit outlives the handler, which is removed below.
            sqlite3_progress_handler(
                connection,
                Self.instructions,
                { limit in
                    guard let limit else { return 0 }
                    return Unmanaged<QueryLimit>.fromOpaque(limit).takeUnretainedValue().isReached() ? 1 : 0
                },
                Unmanaged.passUnretained(limit).toOpaque()
            )
            defer {
                sqlite3_progress_handler(connection, 0, nil, nil)
                withExtendedLifetime(limit) {}
            }
            do { return try body() } catch {
                throw limit.error ?? error
            }
        }
    }

    /// Runs queries, and throws an error if they take longer than a duration.
    func interrupting<Result>(
        after duration: Duration,
        orThrowing error: @autoclosure () -> any Error,
        _ body: () throws -> Result
    ) throws -> Result {
        let deadline = ContinuousClock.now + duration
        do {
            return try checking({ if ContinuousClock.now > deadline { throw Late() } }, body)
        } catch is Late {
            throw error()
        }
    }

    /// Runs queries, and returns `nil` if they take longer than a duration.
    func interrupted<Result>(after duration: Duration, _ body: () throws -> Result) throws -> Result? {
        let deadline = ContinuousClock.now + duration
        do {
            return try checking({ if ContinuousClock.now > deadline { throw Late() } }, body)
        } catch is Late {
            return nil
        }
    }
}
#endif
