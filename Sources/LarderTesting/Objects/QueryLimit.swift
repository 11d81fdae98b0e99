#if Objects
import LarderCore
public import LarderObjects

/// An error thrown when more queries are executed than a limit allows, for example because of a fetch in a loop.
public struct QueryLimitExceeded: Error, CustomStringConvertible {
    /// The maximum number of queries allowed.
    public let limit: Int
    /// The SQL text of all queries, in order.
    public let queries: [String]

    /// The limit, followed by all queries on separate lines.
    public var description: String {
        "Expected at most \(counted(limit, "query", "queries")), but there were \(queries.count). Fetch all objects with one request:\n"
            + queries.joined(separator: "\n")
    }
}

/// Throws an error if a closure executes more queries than a limit allows.
///
/// Use this function to find fetches in loops.
///
/// - Parameters:
///   - limit: The maximum number of queries allowed.
///   - manager: The storage manager whose queries are counted. Other threads must not use the manager at the same time.
///   - body: The closure that executes the queries.
/// - Returns: The value that `body` returns.
/// - Throws: ``QueryLimitExceeded`` with the SQL text of all queries, or the error that `body` throws.
@discardableResult
public func assertQueries<Result>(
    atMost limit: Int,
    of manager: SQLiteStorageManager,
    _ body: () throws -> Result
) throws -> Result {
    var result: Result?
    let queries = try manager.queries.recording { result = try body() }
    guard let result, queries.count <= limit else { throw QueryLimitExceeded(limit: limit, queries: queries) }
    return result
}
#endif
