#if Objects
internal import Dispatch
internal import GRDB
internal import LarderCore

extension SQLiteStorageManager {
    /// Stores a policy in the file when the manager is opened, unless the file keeps more or the policy is ``HistoryPolicy/internal``.
    func raiseHistoryPolicy(to policy: HistoryPolicy, within limit: Duration) throws {
        guard policy.stored.isKept else { return }
        // Opening waits for a writer only if the policy changes.
        let isStored = try pool.writeWithoutTransaction { database in
            let stored = try StoredHistoryPolicy.read(StatementCache(database))
            return stored.raised(to: policy.stored) == stored
        }
        if !isStored {
            try changingHistory(within: limit, for: .opening) { statements in
                try StoredHistoryPolicy.read(statements).raised(to: policy.stored).write(statements)
            }
        }
        guard case .token(let token)? = policy.limit else { return }
        try changingHistory(within: limit, for: .opening) { statements in
            // After the file was restored, the token says nothing about its saves.
            guard try SaveReader(statements: statements).timeline() == token.timeline,
                let last = try HistoryLimit.token(token).lastRemoved(statements, now: time.now)
            else { return }
            try recorder(statements).remove(upTo: last)
        }
    }

    /// Stops keeping saves for longer than merging between processes requires.
    ///
    /// The file gets the policy ``HistoryPolicy/internal``, which every manager and process follows from its next save on. Saves that exceed
    /// this policy are removed by one of the next 256 saves, or by ``trimHistory(to:)``. A manager that is opened later with another
    /// ``ObjectStorageConfiguration/history`` stores its policy again.
    ///
    /// - Throws: ``ObjectError`` if the database can't be written, or if the method is called inside `performAndSave`. If the call throws,
    ///   the policy is unchanged.
    public func stopKeepingHistory() throws {
        try refuseInsideOperation("stopKeepingHistory")
        try checkWritable()
        do {
            try writerQueue.sync { try changingHistory { try StoredHistoryPolicy.internal.write($0) } }
        } catch {
            throw health.noting(error)
        }
    }

    /// Runs a closure that changes the history but no objects, in a transaction of its own.
    ///
    /// - Parameters:
    ///   - limit: The maximum time to wait for other writers, or `nil` for that of a save.
    ///   - purpose: What the caller does, for error messages.
    ///   - body: The closure.
    /// - Throws: ``ObjectError`` if another writer held the lock until the limit, or the error that `body` throws.
    private func changingHistory(
        within limit: Duration? = nil,
        for purpose: WriterLock.Purpose = .saving,
        _ body: (StatementCache) throws -> Void
    ) throws {
        try writerThread.writing(pool, within: limit, for: purpose) { database in
            try database.inWritingTransaction { try body(StatementCache(database)) }
        }
    }

    /// Throws ``ObjectError`` with code `busy` if the current thread runs an operation of `performAndSave`.
    func refuseInsideOperation(_ method: String) throws {
        guard writerThread.isCurrent else { return }
        throw ObjectError(
            .busy,
            "\(method) can't be called inside performAndSave. Call it after performAndSave has finished.",
            path: path
        )
    }
}
#endif
