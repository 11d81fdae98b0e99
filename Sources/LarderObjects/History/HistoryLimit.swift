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

    /// Returns the id of the last row of the newest save to remove, or `nil` if all saves are within the limit.
    func lastRemoved(_ statements: StatementCache, now: Date) throws -> Int64? {
        let complete = "last = 1 AND token < (SELECT max(token) FROM larder_save)"
        let (sql, value): (String, ColumnValue) =
            switch self {
            case .token(let token):
                ("SELECT max(token) FROM larder_save WHERE \(complete) AND token <= ?", .integer(token.row))
            case .age(let age):
                (
                    "SELECT max(token) FROM larder_save WHERE \(complete) AND time < ?",
                    .real(now.timeIntervalSinceReferenceDate - age / .seconds(1))
                )
            case .bytes(let bytes):
                (
                    "SELECT max(token) FROM (SELECT token, last, sum(length(CAST(changes AS BLOB))) OVER newer AS bytes "
                        + "FROM larder_save WINDOW newer AS (ORDER BY token DESC)) WHERE \(complete) AND bytes > ?",
                    .integer(Int64(bytes))
                )
            }
        return try statements.rows(sql, [value]) { $0.value(at: 0).integerValue }.first ?? nil
    }
}
#endif
