/// Counts the attempts of one transaction, and says how long to wait before the next: exponential backoff with full jitter.
struct TransactionRetries {
    /// The most attempts.
    let limit: Int
    /// How many attempts ended in a conflict.
    private(set) var conflicts = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// So many retries follow at once: most conflicts are with one other commit, which is over.
    private static var retriesAtOnce: Int { 2 }
    private static var shortestBound: Duration { .microseconds(20) }
    /// 20 microseconds doubled so many times are 10 milliseconds.
    private static var doublings: Int { 9 }

    /// Notes that an attempt ended in a conflict.
    ///
    /// - Parameter transaction: The attempt, for the error.
    /// - Returns: How long to wait before the next attempt.
    /// - Throws: ``StoreError`` with code `conflict` when this was the last attempt; `CancellationError` when the task is cancelled.
    mutating func pause(after transaction: StoreTransaction) throws -> Duration {
        conflicts += 1
        guard conflicts < limit else { throw transaction.conflict(after: conflicts) }
        try Task.checkCancellation()
        return bound * Double.random(in: 0...1)
    }

    /// The longest pause before the next attempt.
    var bound: Duration {
        let doublings = conflicts - Self.retriesAtOnce - 1
        return doublings < 0 ? .zero : Self.shortestBound * (1 << min(doublings, Self.doublings))
    }
}
