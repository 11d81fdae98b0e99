#if Objects
/// A save, or consecutive changes of other programs, as read from `larder_save`.
struct SavedRow: Sendable, Hashable {
    /// The id of the last row that belongs to the save.
    let token: Int64
    /// The seconds since 2001-01-01 00:00:00 UTC.
    let time: Double
    /// The process of the manager that saved, or `nil` if another program made the changes.
    let process: Int64?
    let author: String?
    let changes: SavedChanges

    /// Whether a program other than Larder made the changes.
    var isForeign: Bool { process == nil }
}

/// A reader of `larder_save`, on a connection that is in a transaction.
struct SaveReader {
    let statements: StatementCache

    /// Returns the token of the newest save, or 0 if the history is empty.
    func newest() throws -> Int64 {
        try statements.integers("SELECT token FROM larder_save ORDER BY token DESC LIMIT 1").first ?? 0
    }

    /// Returns the number of the file's timeline.
    func timeline() throws -> Int64 { try statements.integers("SELECT id FROM larder_timeline").first ?? 0 }

    /// Returns the token of the newest save that was removed from the history, or 0 if none was removed.
    ///
    /// The saves after an earlier token are not complete.
    func trimmed() throws -> Int64 { try statements.integers("SELECT trimmed FROM larder_timeline").first ?? 0 }

    /// Returns the saves after a token, oldest first.
    ///
    /// Consecutive changes of other programs are one element, which is omitted if they change nothing. If the text of a row can't be read, its
    /// scope is ``SavedChanges/Scope/anything``.
    ///
    /// - Parameters:
    ///   - token: The token after which reading begins.
    ///   - limit: The maximum number of elements, or `nil` for all.
    ///   - hasValues: Whether to read old values.
    /// - Returns: The saves.
    /// - Throws: The error that SQLite reports.
    func rows(after token: Int64, limit: Int? = nil, hasValues: Bool = false) throws -> [SavedRow] {
        if let limit, limit <= 0 { return [] }
        let statement = try statements.statement(
            "SELECT token, last, time, process, author, changes FROM larder_save WHERE token > ? ORDER BY token"
        )
        defer { statement.reset() }
        statement.bind(token, at: 1)
        var saves: [SavedRow] = []
        var parts: [Row] = []
        while try statement.step() {
            let row = Row(statement, hasValues)
            if let last = parts.last, last.isComplete, !(last.process == nil && row.process == nil) {
                if let save = SavedRow(parts) { saves.append(save) }
                parts = []
                if saves.count == limit { return saves }
            }
            parts.append(row)
        }
        if let save = SavedRow(parts) { saves.append(save) }
        return saves
    }

    fileprivate struct Row {
        let token: Int64
        let isComplete: Bool
        let time: Double
        let process: Int64?
        let author: String?
        let changes: SavedChanges

        init(_ statement: PreparedStatement, _ hasValues: Bool) {
            token = statement.integer(at: 0)
            isComplete = statement.integer(at: 1) != 0
            if case .real(let seconds) = statement.value(at: 2) { time = seconds } else { time = 0 }
            process = statement.value(at: 3).integerValue
            if case .text(let name) = statement.value(at: 4) { author = name } else { author = nil }
            do {
                changes = try statement.withBytes(at: 5, hasValues ? SaveText.readWithValues : SaveText.read)
            } catch {
                // Another program may have written the row.
                changes = SavedChanges(scope: .anything)
            }
        }
    }
}

extension SavedRow {
    /// Creates a save from its rows.
    ///
    /// The result is `nil` if there are no rows, or if they are notes of another program that changed nothing.
    fileprivate init?(_ parts: [SaveReader.Row]) {
        guard let last = parts.last else { return nil }
        let changes = parts.map(\.changes)
        self.init(
            token: last.token,
            time: last.time,
            process: last.process,
            author: last.author,
            // Larder names each object once for each save, but other programs add a row for each change.
            changes: parts.count == 1
                ? last.changes
                : last.process == nil ? .net(of: changes) : .joining(changes)
        )
        if isForeign, self.changes.isEmpty { return nil }
    }
}
#endif
