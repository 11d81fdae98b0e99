#if Objects
internal import Foundation
internal import GRDB

/// The writer of `larder_save`, on a connection that is in a write transaction.
struct SaveRecorder {
    /// The number of rows that the internal history keeps.
    static let keptRows = 1_000

    let statements: StatementCache
    /// The name of the writer, or `nil` if it has none.
    let author: String?
    /// The wall-clock time.
    var now = Date()
    /// The times at which the history is trimmed, or `nil` if it is not trimmed.
    var schedule: TrimmingSchedule?

    /// Records a save in the current transaction, and trims the history from time to time.
    ///
    /// - Returns: The ids of the save's rows. The last one is its token.
    @discardableResult
    func record(_ changes: SavedChanges) throws -> ClosedRange<Int64> {
        let texts = SaveText.write(changes)
        let statement = try statements.statement(
            "INSERT INTO larder_save (time, last, process, author, changes) VALUES (?, ?, ?, ?, ?)"
        )
        statement.bind(.real(now.timeIntervalSinceReferenceDate), at: 1)
        statement.bind(Int64(ProcessInfo.processInfo.processIdentifier), at: 3)
        statement.bind(author.map(ColumnValue.text) ?? .null, at: 4)
        for (place, text) in texts.enumerated() {
            statement.bind(place == texts.count - 1 ? 1 : 0, at: 2)
            statement.bind(text: text, at: 5)
            try statement.run()
        }
        let token = statements.database.lastInsertedRowID
        if let schedule, schedule.isDue(at: token) {
            try trim(StoredHistoryPolicy.read(statements), schedule, newest: token)
        }
        return token - Int64(texts.count) + 1...token
    }

    /// Removes the saves that exceed the limits of a policy.
    private func trim(_ policy: StoredHistoryPolicy, _ schedule: TrimmingSchedule, newest: Int64) throws {
        // A later version of Larder may have been told to keep the saves.
        guard policy.isKnown else { return }
        guard policy.isKept else { return try trim(rows: Self.keptRows, bytes: 1 << 20) }
        if let age = policy.age {
            // Another program may have stored an age that is too large for a `Duration`.
            let last = try HistoryLimit.lastRemoved(before: now.timeIntervalSinceReferenceDate - age, statements)
            if let last { try remove(upTo: last) }
        }
        guard let bytes = policy.bytes, try schedule.isDue(forSize: bytes, at: newest, added: size(after:))
        else { return }
        let last = try HistoryLimit.bytes(Int(bytes)).lastRemoved(statements, now: now)
        if let last { try remove(upTo: last) }
    }

    /// Returns the size of the rows after a token.
    private func size(after token: Int64) throws -> Int64 {
        let sql = "SELECT sum(length(CAST(changes AS BLOB))) FROM larder_save WHERE token > ?"
        return try statements.integers(sql, [.integer(token)]).first ?? 0
    }

    /// Removes the oldest saves, so that the newer ones do not exceed a limit.
    ///
    /// The newest save is never removed, and a save of several rows is removed as a whole.
    func trim(rows: Int, bytes: Int) throws {
        let newestFirst = try statements.statement(
            "SELECT token, last, length(CAST(changes AS BLOB)) FROM larder_save ORDER BY token DESC"
        )
        var (count, size, end) = (0, 0, Int64?.none)
        while end == nil, try newestFirst.step() {
            if count > 0, count >= rows || size >= bytes, newestFirst.integer(at: 1) == 1 {
                end = newestFirst.integer(at: 0)
            }
            count += 1
            size += Int(newestFirst.integer(at: 2))
        }
        newestFirst.reset()
        if let end { try remove(upTo: end) }
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
