public import Dispatch
public import LarderCore

/// An executor that runs a future's closures.
///
/// Without an executor, closures run on the thread that settles the future.
public protocol FutureExecutor: Sendable {
    /// Runs `work` exactly once, either synchronously or asynchronously.
    ///
    /// - Parameter work: The closure to run.
    func run(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: FutureExecutor {
    /// Runs `work` asynchronously on this queue.
    public func run(_ work: @escaping @Sendable () -> Void) { async { work() } }
}

extension Future {
    /// Calls a closure with the future's value on the given executor, if the future succeeds.
    ///
    /// - Parameters:
    ///   - executor: The executor, such as `DispatchQueue.main`.
    ///   - success: A closure that runs once if the future succeeds.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func then(on executor: any FutureExecutor, _ success: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        then { value in executor.run { success(value) } }
    }

    /// Calls a closure with the future's error on the given executor, if the future fails.
    ///
    /// The error is marked as handled.
    ///
    /// - Parameters:
    ///   - executor: The executor, such as `DispatchQueue.main`.
    ///   - failure: A closure that runs once if the future fails.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func fail(
        on executor: any FutureExecutor,
        _ failure: @escaping @Sendable (any Error) -> Void
    ) -> Future<Value> {
        fail { error in executor.run { failure(error) } }
    }

    /// Calls one of two closures on the main actor when the future settles.
    ///
    /// The closure always runs after this method has returned, even if the caller is on the main actor and the future has settled.
    ///
    /// - Parameters:
    ///   - onSuccess: A closure that runs with the value if the future succeeds.
    ///   - onFailure: A closure that runs with the error if the future fails.
    /// - Returns: This future, for chaining.
    @discardableResult
    public func onCompleteUi(
        onSuccess: @escaping @MainActor @Sendable (Value) -> Void,
        onFailure: @escaping @MainActor @Sendable (any Error) -> Void
    ) -> Future<Value> {
        listen { outcome in
            let outcome = outcome.taken
            Task { @MainActor in
                switch outcome {
                case .success(let value): onSuccess(value)
                case .failure(let error): onFailure(error)
                }
            }
        }
        return self
    }

    /// Returns a future that fails, and cancels this future, if a time limit is exceeded.
    ///
    /// Cancelling a write does not undo it. The write may have happened, and a write through an ``OutboxDataSource`` stays in the outbox
    /// and is sent later.
    ///
    /// - Parameters:
    ///   - limit: The time limit, measured from this call. A settled future never times out.
    ///   - time: The clock that measures the limit.
    /// - Returns: A future with this future's outcome, or with the error ``FutureError/Code/timedOut``.
    public func withTimeout(_ limit: Duration, time: any TimeSource = .system) -> Future<Value> {
        limited(to: limit, time: time) { .timedOut($0) }
    }

    /// Returns a future that settles with this future's outcome unless a time limit is exceeded.
    ///
    /// If the limit is exceeded, this future is cancelled, and the new future fails with `error`. If `limit` is `nil`, there is no time
    /// limit.
    func limited(
        to limit: Duration?,
        time: any TimeSource,
        _ error: @escaping @Sendable (Duration) -> FutureError
    ) -> Future<Value> {
        guard let limit else { return self }
        if let outcome { return Future(outcome) }
        let pending = PendingFuture<Value>()
        let timer = Task {
            try await time.sleep(for: limit)
            if pending.settle(.failure(Failure(error(limit), issues: .shared))) { cancel() }
        }
        forward { outcome, deliveries in
            timer.cancel()
            pending.settle(outcome, &deliveries)
        }
        pending.onCancel { deliveries in
            timer.cancel()
            cancel(&deliveries)
        }
        return Future(storage: .pending(pending))
    }
}
