#if Objects
internal import Foundation

/// A limit on the saves that a history keeps.
///
/// The newest save is always kept.
public enum HistoryLimit: Sendable, Hashable {
    /// Keeps the saves after a token.
    case token(HistoryToken)
    /// Keeps the saves that are not older than a duration.
    case age(Duration)
    /// Keeps the newest saves whose descriptions have at most this size in total.
    case bytes(Int)

    /// The SQL condition for the last row of a save that can be removed.
    private static let complete = "last = 1 AND token < (SELECT max(token) FROM larder_save)"

    /// Returns the id of the last row of the newest save to remove, or `nil` if all saves are within the limit.
    func lastRemoved(_ statements: StatementCache, now: Date) throws -> Int64? {
        switch self {
        case .token(let token):
            let sql = "SELECT max(token) FROM larder_save WHERE \(Self.complete) AND token <= ?"
            return try Self.lastRemoved(sql, .integer(token.row), statements)
        case .age(let age):
            return try Self.lastRemoved(before: now.timeIntervalSinceReferenceDate - age / .seconds(1), statements)
        case .bytes(let bytes):
            // A save of several rows is removed as a whole if any of its rows exceeds the limit, except the newest save.
            let sql = """
                WITH sizes AS (
                SELECT token, sum(length(CAST(changes AS BLOB))) OVER (ORDER BY token DESC) AS bytes FROM larder_save
                ), exceeding AS MATERIALIZED (SELECT max(token) AS newest FROM sizes WHERE bytes > ?)
                SELECT coalesce(
                (SELECT min(token) FROM larder_save WHERE \(Self.complete) AND token >= (SELECT newest FROM exceeding)),
                (SELECT max(token) FROM larder_save WHERE \(Self.complete) AND token < (SELECT newest FROM exceeding)))
                """
            return try Self.lastRemoved(sql, .integer(Int64(bytes)), statements)
        }
    }

    /// Returns the id of the last row of the newest save before a time in seconds since 2001-01-01 00:00:00 UTC, or `nil` if there is none.
    static func lastRemoved(before time: Double, _ statements: StatementCache) throws -> Int64? {
        try lastRemoved("SELECT max(token) FROM larder_save WHERE \(complete) AND time < ?", .real(time), statements)
    }

    private static func lastRemoved(
        _ sql: String,
        _ value: ColumnValue,
        _ statements: StatementCache
    ) throws -> Int64? {
        try statements.rows(sql, [value]) { $0.value(at: 0).integerValue }.first ?? nil
    }
}
#endif
