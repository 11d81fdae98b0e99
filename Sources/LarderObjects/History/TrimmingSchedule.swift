#if Objects
internal import Synchronization

/// The times at which one manager trims the history.
///
/// The manager also counts the tokens and bytes of others, because its own tokens may never be multiples of the interval. The class is
/// thread-safe.
final class TrimmingSchedule: Sendable {
    /// The number of tokens between two trimmings.
    static let interval: Int64 = 256

    /// What the manager has counted.
    private struct Counts: Sendable {
        /// The token from which the manager counts.
        var last: Int64
        /// The rows that were added since the size of the history was measured, or `nil` before the first time.
        var grown: Growth?
    }
    /// Rows of the history up to a token.
    private struct Growth: Sendable {
        let token: Int64
        let bytes: Int64
    }
    private struct State: Sendable {
        var counts: Counts
        /// The counts after the current transaction.
        var next: Counts?
    }
    private let state: Mutex<State>

    /// - Parameters:
    ///   - newest: The token of the newest save when the manager was opened.
    ///   - trimmed: The newest token that was removed from the history.
    init(newest: Int64, trimmed: Int64) {
        // The managers before this one may each have had only a few saves, between those of other programs.
        let isOverdue = newest - trimmed > Int64(SaveRecorder.keptRows) + Self.interval
        state = Mutex(State(counts: Counts(last: isOverdue ? trimmed : newest)))
    }

    /// Runs a closure that commits at most one save, and keeps what was counted unless the closure throws an error.
    ///
    /// After a rollback, the next save has the same token, and must trim the history in place of the first one.
    func whileCommitting<Result>(_ body: () throws -> Result) throws -> Result {
        defer { state.withLock { $0.next = nil } }
        let result = try body()
        state.withLock { $0.counts = $0.next ?? $0.counts }
        return result
    }

    /// Returns whether the history must be trimmed, and counts from `token` from now on.
    func isDue(at token: Int64) -> Bool {
        state.withLock { state in
            state.next = Counts(last: token, grown: state.counts.grown)
            return token / Self.interval != state.counts.last / Self.interval
        }
    }

    /// Returns whether the size of the history must be measured to keep it within a limit.
    ///
    /// Measuring reads the whole history, so an eighth of the limit must have been added since the size was measured. Call this method after
    /// ``isDue(at:)``.
    ///
    /// - Parameters:
    ///   - limit: The limit in bytes.
    ///   - token: The newest token.
    ///   - added: A closure that returns the size of the rows after a token.
    /// - Returns: Whether the size must be measured. If so, the method assumes that it is.
    /// - Throws: The error that `added` throws.
    func isDue(forSize limit: Int64, at token: Int64, added: (Int64) throws -> Int64) throws -> Bool {
        // Only the thread that writes changes the counts.
        let grown = state.withLock(\.counts.grown)
        let bytes = try grown.map { $0.bytes + (try added($0.token)) }
        let isDue = bytes.map { $0 >= limit / 8 } ?? true
        state.withLock { $0.next?.grown = Growth(token: token, bytes: isDue ? 0 : bytes ?? 0) }
        return isDue
    }
}
#endif
