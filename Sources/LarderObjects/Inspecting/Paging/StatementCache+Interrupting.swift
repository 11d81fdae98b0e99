#if Objects
internal import GRDB
internal import GRDBSQLite

/// A closure that ends queries by throwing an error, together with the limits of the calls around it.
final class QueryLimit {
    private let check: () throws -> Void
    private let outer: QueryLimit?
    private(set) var error: (any Error)?

    init(_ check: @escaping () throws -> Void, within outer: QueryLimit?) {
        self.check = check
        self.outer = outer
    }

    /// Returns whether the query must end.
    func isReached() -> Bool {
        if let outer, outer.isReached() { return true }
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
    /// The number of SQLite's instructions between two checks, which take less than 0.1 ms.
    private static let instructions: Int32 = 1_000

    private struct Late: Error {}

    /// Runs queries, which end early when a closure throws an error.
    ///
    /// Calls can be nested. Then the queries also end when a closure of a call around them throws an error.
    ///
    /// - Parameters:
    ///   - check: A closure that is called while queries run.
    ///   - body: A closure that runs queries.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `check` throws, or else the error that `body` throws.
    func checking<Result>(_ check: () throws -> Void, _ body: () throws -> Result) throws -> Result {
        try withoutActuallyEscaping(check) { check in
            let outer = limit
            let inner = QueryLimit(check, within: outer)
            use(inner)
            // The limit outlives the handler, which is replaced here.
            defer {
                use(outer)
                withExtendedLifetime(inner) {}
            }
            do { return try body() } catch {
                throw inner.error ?? error
            }
        }
    }

    private func use(_ limit: QueryLimit?) {
        self.limit = limit
        let connection = database.sqliteConnection
        guard let limit else { return sqlite3_progress_handler(connection, 0, nil, nil) }
        sqlite3_progress_handler(
            connection,
            Self.instructions,
            { limit in
                guard let limit else { return 0 }
                return Unmanaged<QueryLimit>.fromOpaque(limit).takeUnretainedValue().isReached() ? 1 : 0
            },
            Unmanaged.passUnretained(limit).toOpaque()
        )
    }

    /// Runs queries, and throws an error if they take longer than a duration or the current task is canceled.
    func interrupting<Result>(
        after duration: Duration,
        orThrowing error: @autoclosure () -> any Error,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try checking(Self.check(until: .now + duration), body)
        } catch is Late {
            throw error()
        }
    }

    /// Runs queries, and returns `nil` if they take longer than a duration.
    ///
    /// - Throws: The error that `body` throws, or `CancellationError` if the current task is canceled.
    func interrupted<Result>(after duration: Duration, _ body: () throws -> Result) throws -> Result? {
        do {
            return try checking(Self.check(until: .now + duration), body)
        } catch is Late {
            return nil
        }
    }

    /// Returns the SQL function that counts the rows of a whole table: at once, or row by row so that it can be interrupted.
    func counter(_ limits: InspectionLimits) throws -> String {
        let pages = try integers("PRAGMA page_count").first ?? 0
        return pages <= limits.pagesForCounting ? "count(*)" : "count(1)"
    }

    private static func check(until deadline: ContinuousClock.Instant) -> () throws -> Void {
        {
            if ContinuousClock.now > deadline { throw Late() }
            try Task.checkCancellation()
        }
    }
}
#endif
