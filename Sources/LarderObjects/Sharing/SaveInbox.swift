#if Objects
internal import GRDB
internal import Synchronization

/// The saves of all managers and processes on their way into one manager's view.
///
/// The class is thread-safe.
final class SaveInbox: Sendable {
    private struct State: Sendable {
        var log: MergeLog
        var isMergeQueued = false
        var hasFailed = false
    }

    /// The number of the file's timeline.
    let timeline: Int64
    /// Whether the file has a history, from which the saves of others can be read.
    let isFollowing: Bool
    /// The tokens of the newest save and of the newest removed save when the inbox was created.
    let opened: (newest: Int64, trimmed: Int64)
    private let names: SaveNames
    /// Whether the names in the history are those of the model.
    private let namesMatch: Bool
    private let state: Mutex<State>

    /// Creates an inbox for the saves that are newer than the newest one in the file.
    ///
    /// - Throws: The error that SQLite throws.
    init(_ opened: OpenedDatabase, _ names: SaveNames) throws {
        self.names = names
        namesMatch = opened.readOnly?.statements.isEmpty ?? true
        let (timeline, newest, trimmed) = try opened.pool.writeWithoutTransaction { database in
            let statements = StatementCache(database)
            // A file of an earlier format that is opened read-only has no history.
            guard try SharingSchema.exists(statements) else { return (nil as Int64?, 0 as Int64, 0 as Int64) }
            let reader = SaveReader(statements: statements)
            return (try reader.timeline(), try reader.newest(), try reader.trimmed())
        }
        self.timeline = timeline ?? 0
        isFollowing = timeline != nil
        self.opened = (newest, trimmed)
        state = Mutex(State(log: MergeLog(after: newest)))
    }

    // MARK: Own saves

    /// Notes that the current transaction is about to commit a save of this manager.
    ///
    /// Call this method inside the closure of ``whileCommitting(_:)``.
    func willCommit(_ changes: RowChanges, author: String?, rows: ClosedRange<Int64>) {
        state.withLock { $0.log.willCommit(changes, author: author, rows: rows) }
    }

    /// Runs a closure that commits a save, and adds the save unless the closure throws an error.
    func whileCommitting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            state.withLock { $0.log.didCommit() }
            return result
        } catch {
            state.withLock { $0.log.didNotCommit() }
            throw error
        }
    }

    // MARK: Others' saves

    /// Reads and adds the saves of other managers, processes and programs.
    ///
    /// - Parameter reading: A closure that calls its parameter with a connection that reads one snapshot.
    /// - Throws: The error that `reading` throws.
    func readOthers(_ reading: ((StatementCache) throws -> Void) throws -> Void) throws {
        let known = state.withLock(\.log.known)
        try reading { statements in
            let reader = SaveReader(statements: statements)
            let newest = try reader.newest()
            guard newest != known else { return }
            // Another program has deleted the newest saves.
            if newest < known {
                return state.withLock { $0.log.restart(after: newest, entities: names.entities.count) }
            }
            var saves = try reader.rows(after: known).map(save)
            let trimmed = try reader.trimmed()
            if trimmed > known { saves.insert(unknown(upTo: trimmed), at: 0) }
            state.withLock { [saves] in $0.log.add(saves, upTo: newest) }
        }
        state.withLock { $0.hasFailed = false }
    }

    private func save(_ row: SavedRow) -> MergeLog.Save {
        guard namesMatch else { return unknown(upTo: row.token) }
        return MergeLog.Save(
            token: row.token,
            changes: row.changes.rowChanges(names),
            origin: row.isForeign ? .otherProgram : .otherManager,
            author: row.author
        )
    }

    private func unknown(upTo token: Int64) -> MergeLog.Save { .unknown(upTo: token, entities: names.entities.count) }

    /// Notes that the saves up to a token can't be read, so that any object may have changed.
    func miss(upTo token: Int64) { state.withLock { $0.log.add([unknown(upTo: token)], upTo: token) } }

    /// Notes that reading has failed.
    ///
    /// - Returns: `true` if the last attempt succeeded.
    func noteFailure() -> Bool {
        state.withLock { state in
            defer { state.hasFailed = true }
            return !state.hasFailed
        }
    }

    // MARK: Merging

    /// Whether all saves up to a token have been added.
    func knows(_ token: Int64) -> Bool { state.withLock { $0.log.known >= token } }

    /// Notes that a merge is queued.
    ///
    /// - Returns: `false` if there is nothing to merge, or if a merge is already queued.
    func queueMerge() -> Bool {
        state.withLock { state in
            guard state.log.known > state.log.merged, !state.isMergeQueued else { return false }
            state.isMergeQueued = true
            return true
        }
    }

    /// Removes and returns the saves that can be merged, oldest first.
    func take() -> [MergeLog.Save] {
        state.withLock { state in
            state.isMergeQueued = false
            return state.log.take()
        }
    }
}
#endif
