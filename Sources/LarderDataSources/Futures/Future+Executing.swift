public import Dispatch
public import LarderCore

/// Where the closures of a future run, when not where it settles.
public protocol FutureExecutor: Sendable {
    /// Runs `work` once, now or later.
    ///
    /// - Parameter work: What to run.
    func run(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: FutureExecutor {
    /// Runs `work` asynchronously on this queue.
    public func run(_ work: @escaping @Sendable () -> Void) { async { work() } }
}

extension Future {
    /// Runs a closure with the value, if there is one, on an executor.
    ///
    /// - Parameters:
    ///   - executor: Where, such as `DispatchQueue.main`.
    ///   - success: Called once at most.
    /// - Returns: This future, to add more.
    @discardableResult
    public func then(on executor: any FutureExecutor, _ success: @escaping @Sendable (Value) -> Void) -> Future<Value> {
        then { value in executor.run { success(value) } }
    }

    /// Runs a closure with the error, if there is one, on an executor.
    ///
    /// - Parameters:
    ///   - executor: Where, such as `DispatchQueue.main`.
    ///   - failure: Called once at most.
    /// - Returns: This future, to add more.
    @discardableResult
    public func fail(
        on executor: any FutureExecutor,
        _ failure: @escaping @Sendable (any Error) -> Void
    ) -> Future<Value> {
        fail { error in executor.run { failure(error) } }
    }

    /// Runs one of two closures on the main actor, as an app's user interface wants it.
    ///
    /// Always later, never before this returns, even when it is called on the main actor.
    ///
    /// - Parameters:
    ///   - onSuccess: Called with the value.
    ///   - onFailure: Called with the error.
    /// - Returns: This future, to add more.
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

    /// A future that fails when this one has not settled in time; the work is asked to stop then.
    ///
    /// Asking a write to stop does not undo it: it may have happened, and a write through an ``OutboxDataSource`` stays in the outbox
    /// and is sent later.
    ///
    /// - Parameters:
    ///   - limit: How long from now; a settled future never times out.
    ///   - time: What it is measured with.
    /// - Returns: A future that settles as this one, or fails with ``FutureError/Code/timedOut``.
    public func withTimeout(_ limit: Duration, time: any TimeSource = .system) -> Future<Value> {
        limited(to: limit, time: time) { .timedOut($0) }
    }

    /// A future that fails when this one has not settled in time; the work is asked to stop then.
    ///
    /// - Parameters:
    ///   - limit: How long from now; `nil` for as long as it takes.
    ///   - time: What it is measured with.
    ///   - error: What it fails with.
    /// - Returns: A future that settles as this one, or fails with the error.
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
