public import LarderCore

/// A policy for retrying failed operations: the number of attempts, the delays between attempts, and the errors to retry.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts, which includes the first attempt and is at least 1.
    public let attempts: Int
    /// A closure that takes the number of a failed attempt, starting at 1, and returns the delay before the next attempt.
    let delay: @Sendable (Int) -> Duration
    let retryIf: @Sendable (any Error) -> Bool
    let time: any TimeSource

    /// Creates a policy with exponential backoff.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first one. Values less than 1 are treated as 1.
    ///   - delay: The delay before the second attempt. The delay doubles with each further attempt. If the delay is zero, the operation is
    ///     retried immediately, on the same thread.
    ///   - maximumDelay: The upper limit of the delay.
    ///   - time: The clock that measures the delays.
    ///   - retryIf: A closure that returns whether to retry after an error. The default is ``isWorthRetrying(_:)``.
    public init(
        attempts: Int = 2,
        delay: Duration = .zero,
        maximumDelay: Duration = .seconds(60),
        time: any TimeSource = .system,
        retryIf: @escaping @Sendable (any Error) -> Bool = RetryPolicy.isWorthRetrying
    ) {
        self.attempts = max(1, attempts)
        self.delay = { attempt in
            var wait = delay
            for _ in 1..<max(1, min(attempt, 64)) where wait < maximumDelay { wait *= 2 }
            return min(wait, maximumDelay)
        }
        self.retryIf = retryIf
        self.time = time
    }

    /// Returns whether an error may be temporary.
    ///
    /// - Parameter error: The error with which an attempt failed.
    /// - Returns: `false` for missing values, wrong arguments, unsupported queries or operations, and cancellation; `true` for all other
    ///   errors.
    @Sendable
    public static func isWorthRetrying(_ error: any Error) -> Bool {
        switch error {
        case is CoreError.NotFound, is CoreError.IllegalArgument, is CoreError.NotImplemented,
            is CoreError.QueryNotSupported, is CancellationError:
            false
        default: true
        }
    }

    /// Runs `work` and retries it according to this policy.
    ///
    /// Stack and memory use do not grow with the number of attempts.
    func run<Value>(_ work: @escaping @Sendable () -> Future<Value>) -> Future<Value> {
        let first = work()
        guard attempts > 1 else { return first }
        if case .value? = first.outcome { return first }
        let retries = Retries(policy: self, work: work)
        Deliveries.drained { retries.follow(first, from: 1, &$0) }
        return Future(storage: .pending(retries.result)).withoutPending
    }

    /// Returns the delay before the next attempt, or `nil` if the operation must not be retried after this error.
    func wait(after attempt: Int, failedWith error: any Error) -> Duration? {
        attempt < attempts && retryIf(error) ? delay(attempt) : nil
    }

    /// Returns a future that settles after a duration, measured by the policy's clock.
    func waiting(for duration: Duration) -> Future<Void> {
        Future(async: { [time] in try await time.sleep(for: duration) })
    }
}

/// The state of a retried operation, including the future that settles with the last attempt's outcome.
private final class Retries<Value: Sendable>: Sendable {
    let result = PendingFuture<Value>()
    private let policy: RetryPolicy
    private let work: @Sendable () -> Future<Value>

    init(policy: RetryPolicy, work: @escaping @Sendable () -> Future<Value>) {
        self.policy = policy
        self.work = work
    }

    /// Retries the operation in a loop while attempts settle immediately.
    ///
    /// If an attempt is pending, continues when that attempt settles.
    func follow(_ first: Future<Value>, from number: Int, _ deliveries: inout Deliveries) {
        var (future, attempt) = (first, number)
        while true {
            guard let outcome = future.outcome else {
                return resume(after: future, &deliveries) { [attempt] outcome, deliveries in
                    self.follow(Future(outcome), from: attempt, &deliveries)
                }
            }
            // The result was cancelled during the attempt: no further attempt is needed.
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
