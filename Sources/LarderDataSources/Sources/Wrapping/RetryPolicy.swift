public import LarderCore

/// How often, how soon and after which errors work is tried again.
public struct RetryPolicy: Sendable {
    /// How many times the work is done at most, the first time included; at least 1.
    public let attempts: Int
    /// How long to wait before each further attempt, counted from 1.
    let pause: @Sendable (Int) -> Duration
    /// Whether an error is worth another attempt.
    let retryIf: @Sendable (any Error) -> Bool
    /// What the waiting is measured with.
    let time: any TimeSource

    /// A policy that waits twice as long each time.
    ///
    /// - Parameters:
    ///   - attempts: How many times the work is done at most, the first time included; less than 1 counts as 1.
    ///   - pause: How long to wait before the second attempt; zero tries again at once, on the same thread.
    ///   - longestPause: What the waiting never exceeds.
    ///   - time: What the waiting is measured with.
    ///   - retryIf: Whether an error is worth another attempt; ``isWorthRetrying(_:)`` unless given.
    public init(
        attempts: Int = 2,
        pause: Duration = .zero,
        longestPause: Duration = .seconds(60),
        time: any TimeSource = .system,
        retryIf: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isWorthRetrying
    ) {
        self.attempts = max(1, attempts)
        self.pause = { attempt in
            var wait = pause
            for _ in 1..<max(1, min(attempt, 64)) where wait < longestPause { wait *= 2 }
            return min(wait, longestPause)
        }
        self.retryIf = retryIf
        self.time = time
    }

    /// Whether an error may go away by itself: not that a value is missing, that an argument or a query was wrong, or that the
    /// work was cancelled.
    ///
    /// - Parameter error: The error.
    /// - Returns: `true` for all others.
    @Sendable
    public static func isWorthRetrying(_ error: any Error) -> Bool {
        switch error {
        case is CoreError.NotFound, is CoreError.IllegalArgument, is CoreError.NotImplemented,
            is CoreError.QueryNotSupported, is CancellationError:
            false
        default: true
        }
    }

    /// Does the work, and again as long as the policy allows.
    func run<Value>(_ attempt: Int = 1, _ work: @escaping @Sendable () -> Future<Value>) -> Future<Value> {
        let future = work()
        guard attempt < attempts else { return future }
        return future.recover { error in
            guard retryIf(error) else { throw error }
            let wait = pause(attempt)
            guard wait > .zero else { return run(attempt + 1, work) }
            let waited = Future<Void>(async: { try await time.sleep(for: wait) })
            return waited.flatMap { run(attempt + 1, work) }
        }
    }
}
