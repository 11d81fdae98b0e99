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
    ///
    /// Attempts that settle at once are made in a loop, the others one from the outcome of the one before: neither the stack nor the
    /// memory grows with their number.
    func run<Value>(_ work: @escaping @Sendable () -> Future<Value>) -> Future<Value> {
        let first = work()
        guard attempts > 1 else { return first }
        if case .value? = first.outcome { return first }
        let retries = Retries(policy: self, work: work)
        Deliveries.drained { retries.follow(first, from: 1, &$0) }
        return Future(storage: .pending(retries.result)).withoutPending
    }

    /// How long to wait before the next attempt, or `nil` when an error is not worth one.
    func wait(after attempt: Int, failedWith error: any Error) -> Duration? {
        attempt < attempts && retryIf(error) ? pause(attempt) : nil
    }

    /// Waits on the policy's time source.
    func waiting(for duration: Duration) -> Future<Void> {
        Future(async: { [time] in try await time.sleep(for: duration) })
    }
}

/// The attempts at one piece of work.
private final class Retries<Value: Sendable>: Sendable {
    let result = PendingFuture<Value>()
    private let policy: RetryPolicy
    private let work: @Sendable () -> Future<Value>

    init(policy: RetryPolicy, work: @escaping @Sendable () -> Future<Value>) {
        self.policy = policy
        self.work = work
    }

    /// Makes attempts for as long as they settle at once, and goes on later when one does not.
    func follow(_ first: Future<Value>, from number: Int, _ deliveries: inout Deliveries) {
        var (future, attempt) = (first, number)
        while true {
            guard let outcome = future.outcome else {
                return resume(after: future, &deliveries) { [attempt] outcome, deliveries in
                    self.follow(Future(outcome), from: attempt, &deliveries)
                }
            }
            // Cancelled while the attempt was made: nobody wants another.
            guard result.outcome == nil else { return outcome.dismiss() }
            guard case .failure(let failure) = outcome,
                let wait = policy.wait(after: attempt, failedWith: failure.error)
            else {
                result.settle(outcome, &deliveries)
                return
            }
            failure.dismiss()
            attempt += 1
            guard wait <= .zero else {
                return resume(after: policy.waiting(for: wait), &deliveries) { [attempt] outcome, deliveries in
                    switch outcome {
                    case .value: self.follow(self.work(), from: attempt, &deliveries)
                    case .failure(let failure): self.result.settle(.failure(failure), &deliveries)
                    }
                }
            }
            future = work()
        }
    }

    private func resume<Awaited>(
        after future: Future<Awaited>,
        _ deliveries: inout Deliveries,
        _ next: @escaping PendingFuture<Awaited>.Listener
    ) {
        switch future.storage {
        case .value(let value): next(.value(value), &deliveries)
        case .failure(let failure): next(.failure(failure), &deliveries)
        case .pending(let pending):
            let identifier = pending.forward(next, &deliveries)
            if let identifier { result.onCancel({ pending.remove(identifier, &$0) }, &deliveries) }
        }
    }
}
