#if Objects
internal import GRDB
internal import Synchronization

/// Hands out the ids of new objects, one sequence for the whole database.
///
/// The database keeps how far ids have been taken from it, a block at a time; it is moved forward before any id of the block
/// is handed out.
final class ObjectIDSequence: Sendable {
    private static let block: Int64 = 4_096
    private struct State {
        var next: Int64 = 1
        var end: Int64 = 1
    }
    private let state = Mutex(State())

    /// Makes sure that there is a block.
    ///
    /// Called before the transaction of some work begins, so that ids which that work hands out stay taken when it is
    /// undone.
    func refill(_ statements: StatementCache) throws {
        let left = state.withLock { $0.end - $0.next }
        if left < Self.block / 2 { try take(statements) }
    }

    /// The next id.
    ///
    /// Takes another block in the middle of a transaction when some work needs more than there were.
    func next(_ statements: StatementCache) throws -> Int64 {
        if let id = nextOfBlockThereIs() { return id }
        try take(statements)
        return try nextOfBlock()
    }

    private func take(_ statements: StatementCache) throws {
        let stored = try statements.integers("SELECT next FROM larder_sequence").first ?? 1
        let end = try state.withLock { state in
            let (end, overflow) = max(state.end, stored).addingReportingOverflow(Self.block)
            guard !overflow else {
                throw ObjectError(
                    .database,
                    "No object id is left, because raw SQL inserted a row with an id near the largest one: open the database again and delete that row."
                )
            }
            // Further on than what is stored only when a transaction that took a block was undone.
            if stored > state.end { state.next = max(state.next, stored) }
            state.end = end
            return end
        }
        try statements.run("UPDATE larder_sequence SET next = ?", [.integer(end)])
    }

    /// The next id of the block there is.
    func nextOfBlock() throws -> Int64 {
        guard let id = nextOfBlockThereIs() else {
            throw ObjectError(.database, "More than 2,000 ids were taken in one piece of raw SQL: divide it.")
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

    /// Goes past ids that raw SQL gave to rows.
    func skip(past id: Int64) {
        state.withLock { state in
            state.next = max(state.next, id == .max ? id : id + 1)
            state.end = max(state.end, state.next)
        }
    }
}
#endif
