#if Objects
internal import Foundation
internal import GRDB

/// The writer of `larder_save`, on a connection that is in a write transaction.
struct SaveRecorder {
    /// The number of tokens between two trimmings.
    private static let interval: Int64 = 256

    let statements: StatementCache
    /// The name of the writer, or `nil` if it has none.
    let author: String?

    /// Records a save in the current transaction, and trims the history from time to time.
    ///
    /// - Returns: The save's token.
    @discardableResult
    func record(_ changes: SavedChanges) throws -> Int64 {
        let texts = SaveText.write(changes)
        let statement = try statements.statement(
            "INSERT INTO larder_save (time, last, process, author, changes) VALUES (?, ?, ?, ?, ?)"
        )
        statement.bind(.real(Date().timeIntervalSinceReferenceDate), at: 1)
        statement.bind(Int64(ProcessInfo.processInfo.processIdentifier), at: 3)
        statement.bind(author.map(ColumnValue.text) ?? .null, at: 4)
        for (place, text) in texts.enumerated() {
            statement.bind(place == texts.count - 1 ? 1 : 0, at: 2)
            statement.bind(.text(String(decoding: text, as: UTF8.self)), at: 5)
            try statement.run()
        }
        let token = statements.database.lastInsertedRowID
        if token / Self.interval != (token - Int64(texts.count)) / Self.interval {
            try trim(rows: 1_000, bytes: 1 << 20)
        }
        return token
    }

    /// Removes the oldest saves, so that the newer ones do not exceed a limit.
    ///
    /// The newest save is never removed, and a save of several rows is removed as a whole.
    func trim(rows: Int, bytes: Int) throws {
        let newer = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
        let last = try statements.rows(
            "SELECT max(token) FROM (SELECT token, last, count(*) OVER newer AS rows, "
                + "sum(length(CAST(changes AS BLOB))) OVER newer AS bytes FROM larder_save "
                + "WINDOW newer AS (ORDER BY token DESC \(newer))) WHERE last = 1 AND rows > 0 AND (rows >= ? OR bytes >= ?)",
            [.integer(Int64(rows)), .integer(Int64(bytes))]
        ) { $0.value(at: 0).integerValue }
        if let last = last.first ?? nil { try remove(upTo: last) }
    }

    /// Removes the rows up to a token, so that earlier tokens expire.
    ///
    /// - Returns: The number of removed saves.
    @discardableResult
    func remove(upTo token: Int64) throws -> Int {
        let count = try statements.integers(
            "SELECT count(*) FROM larder_save WHERE token <= ? AND last = 1",
            [.integer(token)]
        )
        try statements.run("DELETE FROM larder_save WHERE token <= ?", [.integer(token)])
        try statements.run("UPDATE larder_timeline SET trimmed = max(trimmed, ?)", [.integer(token)])
        return Int(count.first ?? 0)
    }
}
#endif
