#if Objects
internal import Dispatch
internal import GRDB
internal import LarderCore

extension SQLiteStorageManager {
    /// The position after the newest save in the file.
    ///
    /// Read the token before the objects, so that no save after the token is missed.
    public var historyToken: HistoryToken {
        get throws { try readingHistory { HistoryToken(timeline: try $0.timeline(), row: try $0.newest()) } }
    }

    /// Returns the saves after a token, oldest first, including those of other processes.
    ///
    /// - Parameters:
    ///   - token: The position after which to begin. `nil` begins with the oldest save that is kept.
    ///   - limit: The maximum number of saves to return. The default, `nil`, selects no limit.
    /// - Returns: The saves.
    /// - Throws: ``ObjectError`` with code `historyExpired` if saves after the token were removed or the file was restored. Then read
    ///   all objects again, and continue with ``historyToken``.
    public func history(after token: HistoryToken?, limit: Int? = nil) throws -> [HistoryEntry] {
        let names = LinkNames(model)
        return try readingHistory { reader in
            let timeline = try reader.timeline()
            if let token { try reader.check(token, path: path) }
            return try reader.rows(after: token?.row ?? 0, limit: limit, hasValues: true).map {
                HistoryEntry($0, timeline: timeline, names)
            }
        }
    }

    /// Removes saves from the history.
    ///
    /// The newest save is never removed. Tokens before the removed saves expire.
    ///
    /// - Parameter limit: The saves to keep.
    /// - Returns: The number of removed saves.
    /// - Throws: ``ObjectError`` with code `historyExpired` if the file was restored after the limit's token was made, or an error if the
    ///   database can't be written. If the call throws, nothing is removed.
    @discardableResult
    public func trimHistory(to limit: HistoryLimit) throws -> Int {
        try refuseInsideOperation("trimHistory")
        try checkWritable()
        do {
            return try writerQueue.sync {
                try writerThread.writing(pool) { database in
                    var removed = 0
                    try database.inWritingTransaction {
                        let statements = StatementCache(database)
                        if case .token(let token) = limit {
                            try SaveReader(statements: statements).checkTimeline(of: token, path: path)
                        }
                        guard let last = try limit.lastRemoved(statements, now: time.now) else { return }
                        removed = try recorder(statements).remove(upTo: last)
                    }
                    return removed
                }
            }
        } catch {
            throw health.noting(error)
        }
    }

    private func readingHistory<Result>(_ body: (SaveReader) throws -> Result) throws -> Result {
        do {
            return try pool.read { database in
                let statements = StatementCache(database, reuse: reuse)
                guard try SharingSchema.exists(statements) else {
                    throw ObjectError(
                        .readOnly,
                        "The database has no history, because an earlier version of Larder wrote it. Open it for writing to upgrade it.",
                        path: path
                    )
                }
                return try body(SaveReader(statements: statements))
            }
        } catch {
            throw health.noting(error)
        }
    }
}

extension SaveReader {
    /// Throws ``ObjectError`` with code `historyExpired` unless the history has all saves after a token.
    func check(_ token: HistoryToken, path: String) throws {
        try checkTimeline(of: token, path: path)
        guard try trimmed() <= token.row, try token.row <= newest() else {
            throw Self.expired("saves after this token were removed", path)
        }
    }

    /// Throws ``ObjectError`` with code `historyExpired` if a token was made before the file was restored.
    func checkTimeline(of token: HistoryToken, path: String) throws {
        guard try timeline() == token.timeline else { throw Self.expired("the file was restored or replaced", path) }
    }

    private static func expired(_ reason: String, _ path: String) -> ObjectError {
        ObjectError(
            .historyExpired,
            "The history after this token is incomplete, because \(reason). Read all objects again, and continue with historyToken.",
            path: path
        )
    }
}
#endif
