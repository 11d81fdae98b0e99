#if Objects
internal import GRDB
internal import Synchronization

/// The sequence that assigns ids to new objects of all entities.
///
/// Ids are reserved in blocks. The database stores the end of the reserved range.
final class ObjectIDSequence: Sendable {
    private static let block: Int64 = 4_096
    private struct State {
        var next: Int64 = 1
        var end: Int64 = 1
    }
    private let state = Mutex(State())

    /// Reserves a new block of ids if less than half a block is left.
    ///
    /// Call this method before the transaction of an operation, so that a rollback does not free ids for reuse.
    func refill(_ statements: StatementCache) throws {
        let left = state.withLock { $0.end - $0.next }
        if left < Self.block / 2 { try take(statements) }
    }

    /// Returns the next id, and reserves another block in the current transaction if no id is left.
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
                    "The object ids are exhausted because raw SQL inserted a row with an id near the maximum. "
                        + "Insert the objects into a new database."
                )
            }
            // The stored end is lower than `state.end` only if a transaction that reserved a block was rolled back.
            if stored > state.end { state.next = max(state.next, stored) }
            state.end = end
            return end
        }
        try statements.run("UPDATE larder_sequence SET next = ?", [.integer(end)])
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

    /// Skips all ids up to and including `id`, which raw SQL has assigned to a row.
    func skip(past id: Int64) {
        state.withLock { state in
            state.next = max(state.next, id == .max ? id : id + 1)
            state.end = max(state.end, state.next)
        }
    }
}
#endif
