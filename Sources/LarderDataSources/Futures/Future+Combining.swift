import LarderCore

// For a settled future, these methods allocate no pending state.
extension Future {
    /// Returns a future that settles with the result of passing this future's value to `transform`.
    ///
    /// - Parameter transform: A closure that transforms the value. It runs on the thread that settles this future, if this future succeeds.
    ///   If the closure throws, the new future fails with that error.
    /// - Returns: A future that settles with the transformed value, or fails with this future's error.
    public func map<NewValue: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> NewValue
    ) -> Future<NewValue> {
        transformed { outcome in
            switch outcome {
            case .value(let value): FutureOutcome { try transform(value) }
            case .failure(let failure): .failure(failure)
            }
        }
    }

    /// Returns a future that fails with a transformed error if this future fails.
    ///
    /// - Parameter transform: A closure that transforms the error. It runs on the thread that settles this future, if this future fails.
    /// - Returns: A future that settles with this future's value, or fails with the transformed error.
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Future<Value> {
        transformed { outcome in
            switch outcome {
            case .value: outcome
            case .failure(let failure): .failure(Failure(transform(failure.takeError()), issues: .shared))
            }
        }
    }

    /// Passes this future's value to `next` and returns a future with the outcome of the future that `next` returns.
    ///
    /// - Parameter next: A closure that receives the value and returns the next future. It runs on the thread that settles this future, if
    ///   this future succeeds. If the closure throws, the new future fails with that error.
    /// - Returns: A future with the outcome of the future that `next` returned, or with this future's error. Cancelling the returned future
    ///   cancels the step in progress.
    public func flatMap<NewValue: Sendable>(
        _ next: @escaping @Sendable (Value) throws -> Future<NewValue>
    ) -> Future<NewValue> {
        chained { outcome in
            switch outcome {
            case .value(let value):
                do { return try next(value) } catch { return Future<NewValue>(error: error) }
            case .failure(let failure): return Future<NewValue>(storage: .failure(failure))
            }
        }
    }

    /// Returns a future that recovers from an error by continuing with another future.
    ///
    /// - Parameter instead: A closure that receives the error and returns another future. It runs on the thread that settles this future,
    ///   if this future fails. If the closure throws, the new future fails with that error.
    /// - Returns: A future with this future's value or, if this future fails, with the outcome of the future that `instead` returned.
    public func recover(_ instead: @escaping @Sendable (any Error) throws -> Future<Value>) -> Future<Value> {
        chained { outcome in
            switch outcome {
            case .value(let value): return Future(value)
            case .failure(let failure):
                do { return try instead(failure.takeError()) } catch { return Future(error: error) }
            }
        }
    }

    /// Returns a future that recovers from an error of the given type by continuing with another future.
    ///
    /// - Parameters:
    ///   - type: The type of error to recover from. Other errors fail the new future.
    ///   - instead: A closure that receives the error and returns another future. It runs on the thread that settles this future. If the
    ///     closure throws, the new future fails with that error.
    /// - Returns: A future with this future's outcome or, after an error of type `Failed`, with the outcome of the future that `instead`
    ///   returned.
    public func recover<Failed: Error>(
        if type: Failed.Type,
        _ instead: @escaping @Sendable (Failed) throws -> Future<Value>
    ) -> Future<Value> {
        recover { error in
            guard let failed = error as? Failed else { throw error }
            return try instead(failed)
        }
    }

    /// Returns a future that fails if `check` throws for this future's value.
    ///
    /// - Parameter check: A closure that receives the value. It runs on the thread that settles this future.
    /// - Returns: A future with this future's outcome, or with the error that `check` threw.
    public func filter(_ check: @escaping @Sendable (Value) throws -> Void) -> Future<Value> {
        map { value in
            try check(value)
            return value
        }
    }

    /// Runs a closure when this future settles, whether it succeeds or fails.
    ///
    /// - Parameter completion: The closure to run. It runs on the thread that settles this future. If the closure throws, the new future
    ///   fails with that error.
    /// - Returns: A future that settles with this future's outcome after the closure has run.
    @discardableResult
    public func onCompletion(_ completion: @escaping @Sendable () throws -> Void) -> Future<Value> {
        transformed { outcome in
            do { try completion() } catch { return .failure(Failure(error, issues: .shared)) }
            return outcome
        }
    }

    /// Returns a future that settles with the result of passing this future's outcome to `transform`.
    func transformed<NewValue: Sendable>(
        _ transform: @escaping @Sendable (FutureOutcome<Value>) -> FutureOutcome<NewValue>
    ) -> Future<NewValue> {
        if let outcome { return Future<NewValue>(transform(outcome)) }
        let pending = PendingFuture<NewValue>()
        feed(pending, transform)
        return Future<NewValue>(storage: .pending(pending))
    }

    /// Passes this future's outcome to `next` and returns a future with the outcome of the future that `next` returns.
    func chained<NewValue: Sendable>(
        _ next: @escaping @Sendable (FutureOutcome<Value>) -> Future<NewValue>
    ) -> Future<NewValue> {
        if let outcome { return next(outcome) }
        guard case .pending(let source) = storage else { return Future<NewValue>(error: CoreError.Unknown()) }
        let pending = PendingFuture<NewValue>()
        let identifier = Deliveries.drained { deliveries in
            source.forward(
                { outcome, deliveries in
                    // `pending` was cancelled while `source` was calling its listeners: the next step is no longer needed.
                    guard pending.outcome == nil else { return outcome.dismiss() }
                    next(outcome).feed(pending, &deliveries) { $0 }
                },
                &deliveries
            )
        }
        // If `source` has settled, `feed` has already set the cancellation handler for the next step, which must not be replaced.
        if let identifier { pending.offerOnCancel { source.remove(identifier, &$0) } }
        return Future<NewValue>(storage: .pending(pending))
    }

    init(_ outcome: FutureOutcome<Value>) {
        switch outcome {
        case .value(let value): self.init(value)
        case .failure(let failure): self.init(storage: .failure(failure))
        }
    }
}
