#if Objects
internal import GRDB
internal import Synchronization

/// The sequence that assigns ids to new objects of all entities.
///
/// Ids are reserved in blocks. The database stores the end of all blocks that managers have reserved. All methods that access the database
/// must be called while ``WriterLock`` is held.
final class ObjectIDSequence: Sendable {
    private static let block: Int64 = 4_096
    private struct State {
        var next: Int64 = 1
        var end: Int64 = 1
        /// Whether the current transaction has reserved a block, which a rollback would free for other managers.
        var isTentative = false
    }
    private let state = Mutex(State())

    /// Runs a transaction that assigns ids, after reserving a new block of ids if less than half a block is left.
    ///
    /// If the transaction is rolled back, the ids that it assigned remain reserved.
    func reserving<Result>(_ statements: StatementCache, _ transaction: () throws -> Result) throws -> Result {
        if !hasHalfBlock { try take(statements) }
        do {
            let result = try transaction()
            state.withLock { $0.isTentative = false }
            return result
        } catch {
            keep(statements)
            throw error
        }
    }

    private var hasHalfBlock: Bool { state.withLock { $0.end - $0.next >= Self.block / 2 } }

    /// Returns the next id, and reserves another block in the current transaction if no id is left.
    func next(_ statements: StatementCache) throws -> Int64 {
        if let id = nextOfBlockThereIs() { return id }
        try takeTentatively(statements)
        return try nextOfBlock()
    }

    private func takeTentatively(_ statements: StatementCache) throws {
        try take(statements)
        state.withLock { $0.isTentative = true }
    }

    private func take(_ statements: StatementCache) throws {
        let known = state.withLock(\.end)
        let ends = try statements.integers(
            "UPDATE larder_sequence SET next = max(next, ?1) + ?2 WHERE max(next, ?1) <= ?3 RETURNING next",
            [.integer(known), .integer(Self.block), .integer(.max - Self.block)]
        )
        guard let end = ends.first else { throw try exhausted(statements) }
        state.withLock { state in
            // If another manager has reserved ids, the rest of the former block is not used.
            if end - Self.block > known { state.next = max(state.next, end - Self.block) }
            state.end = end
        }
    }

    private func exhausted(_ statements: StatementCache) throws -> ObjectError {
        guard try statements.integers("SELECT count(*) FROM larder_sequence") != [0] else {
            return ObjectError(
                .damaged,
                "Nothing was saved because the table larder_sequence is empty, so new objects can't get ids. Restore a backup, or salvage the "
                    + "database."
            )
        }
        return ObjectError(
            .database,
            "The object ids are exhausted because raw SQL inserted a row with an id near the maximum. "
                + "Insert the objects into a new database."
        )
    }

    /// Reserves a block again, which a transaction that was rolled back had reserved.
    private func keep(_ statements: StatementCache) {
        let end = state.withLock { state -> Int64? in
            defer { state.isTentative = false }
            return state.isTentative ? state.end : nil
        }
        guard let end, (try? raise(to: end, statements)) == nil else { return }
        // Another manager may reserve the block, so this manager must not use the rest of it.
        state.withLock { $0.next = max($0.next, end) }
    }

    private func raise(to end: Int64, _ statements: StatementCache) throws {
        try statements.run("UPDATE larder_sequence SET next = ?1 WHERE next < ?1", [.integer(end)])
    }

    /// Returns the next id in the reserved block, or throws an error if no id is left.
    func nextOfBlock() throws -> Int64 {
        guard let id = nextOfBlockThereIs() else {
            throw ObjectError(
                .database,
                "A call to write(_:) used more than 2,000 ids from larder_next_id(). Split the call into several calls."
            )
        }
        return id
    }

    private func nextOfBlockThereIs() -> Int64? {
        state.withLock { state in
            guard state.next < state.end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// The ids of the reserved block that are not assigned yet, or `nil` if there are none.
    var unused: ClosedRange<Int64>? { state.withLock { $0.next < $0.end ? $0.next...($0.end - 1) : nil } }

    /// Reserves ids that raw SQL or a program's trigger has assigned to rows, in the current transaction.
    ///
    /// After the commit, call ``skip(_:)``.
    func reserve(_ changes: RowChanges, _ statements: StatementCache) throws {
        guard let id = changes.entities.compactMap({ $0.inserted.max() }).max(), id >= state.withLock(\.end) else {
            return
        }
        try raise(to: id == .max ? id : id + 1, statements)
    }

    /// Skips the ids of inserted rows, so that they are not assigned again.
    ///
    /// Ids after the reserved block are not skipped, because the database does not assign them to this manager.
    func skip(_ changes: RowChanges) {
        state.withLock { state in
            for id in changes.entities.lazy.flatMap(\.inserted) where id >= state.next && id < state.end {
                state.next = id + 1
            }
        }
    }

    /// Skips the ids of the reserved block up to and including `id`, and reserves another block in the current transaction if less than half
    /// a block is left.
    func skip(past id: Int64, _ statements: StatementCache) throws {
        state.withLock { state in
            if id >= state.next, id < state.end { state.next = id + 1 }
        }
        if !hasHalfBlock { try takeTentatively(statements) }
    }
}
#endif
