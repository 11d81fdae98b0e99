/// The retry policy of one transaction, which counts the attempts and determines the delay before each retry.
///
/// The delay follows exponential backoff with full jitter.
struct TransactionRetries {
    /// The maximum number of attempts to run the transaction.
    let limit: Int
    /// The number of attempts to run the transaction that failed with a conflict.
    private(set) var conflicts = 0

    init(limit: Int) { self.limit = max(1, limit) }

    /// The number of initial retries that are made without a delay.
    ///
    /// Most conflicts are caused by a single commit that has already finished, so an immediate retry usually succeeds.
    private static var retriesAtOnce: Int { 2 }
    private static var shortestBound: Duration { .microseconds(20) }
    /// The number of times that ``bound`` doubles, from 20 microseconds to 10 milliseconds.
    private static var doublings: Int { 9 }

    /// Records a conflict and returns the randomized delay before the next attempt.
    ///
    /// - Parameter transaction: The transaction that conflicted, for the error message.
    /// - Returns: The delay before the next attempt.
    /// - Throws: ``StoreError`` with code `conflict` if this was the last attempt; `CancellationError` if the task is canceled.
    mutating func pause(after transaction: StoreTransaction) throws -> Duration {
        conflicts += 1
        guard conflicts < limit else { throw transaction.conflict(after: conflicts) }
        try Task.checkCancellation()
        return bound * Double.random(in: 0...1)
    }

    /// The maximum delay before the next attempt.
    var bound: Duration {
        let doublings = conflicts - Self.retriesAtOnce - 1
        return doublings < 0 ? .zero : Self.shortestBound * (1 << min(doublings, Self.doublings))
    }
}
