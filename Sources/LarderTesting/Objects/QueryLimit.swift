#if Objects
public import LarderObjects

/// More queries than there may be, as when a loop fetches.
public struct QueryLimitExceeded: Error, CustomStringConvertible {
    /// How many there may be.
    public let limit: Int
    /// The SQL of each, in order.
    public let queries: [String]

    /// The limit, then every query on a line.
    public var description: String {
        "There were \(queries.count) queries where at most \(limit) are allowed; fetch for all objects at once:\n"
            + queries.joined(separator: "\n")
    }
}

/// Fails when some work makes more queries than it may, which turns a fetch in a loop into a failing test.
///
/// - Parameters:
///   - limit: How many there may be.
///   - manager: Whose queries to count. Nobody else should use it meanwhile.
///   - body: The work.
/// - Returns: What `body` returned.
/// - Throws: ``QueryLimitExceeded`` with the SQL of every query, or what `body` threw.
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
