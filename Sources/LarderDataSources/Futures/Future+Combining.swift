import LarderCore

// Each of these leaves a settled future settled: no pending state is made for it.
extension Future {
    /// A future of what `transform` makes of the value; the error stays the same.
    ///
    /// - Parameter transform: Run where the future settles. What it throws becomes the failure.
    /// - Returns: The new future.
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

    /// A future whose error is what `transform` makes of the error; the value stays the same.
    ///
    /// - Parameter transform: Run where the future settles.
    /// - Returns: The new future.
    public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Future<Value> {
        transformed { outcome in
            switch outcome {
            case .value: outcome
            case .failure(let failure): .failure(Failure(transform(failure.takeError()), issues: .shared))
            }
        }
    }

    /// A future of what comes next.
    ///
    /// - Parameter next: Run with the value where the future settles. What it throws becomes the failure.
    /// - Returns: A future that settles as the next one does; cancelling it cancels whichever of the two is at work.
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

    /// A future of what is done instead when this one fails.
    ///
    /// - Parameter instead: Run with the error where the future settles. What it throws becomes the failure.
    /// - Returns: A future that settles as this one or, when it fails, as the other one does.
    public func recover(_ instead: @escaping @Sendable (any Error) throws -> Future<Value>) -> Future<Value> {
        chained { outcome in
            switch outcome {
            case .value(let value): return Future(value)
            case .failure(let failure):
                do { return try instead(failure.takeError()) } catch { return Future(error: error) }
            }
        }
    }

    /// A future of what is done instead when this one fails with an error of one type; other errors stay.
    ///
    /// - Parameters:
    ///   - type: The type of error.
    ///   - instead: Run with the error where the future settles. What it throws becomes the failure.
    /// - Returns: A future that settles as this one or, when it fails so, as the other one does.
    public func recover<Failed: Error>(
        if type: Failed.Type,
        _ instead: @escaping @Sendable (Failed) throws -> Future<Value>
    ) -> Future<Value> {
        recover { error in
            guard let failed = error as? Failed else { throw error }
            return try instead(failed)
        }
    }

    /// A future that fails where a check of the value throws.
    ///
    /// - Parameter check: Run with the value where the future settles.
    /// - Returns: The new future.
    public func filter(_ check: @escaping @Sendable (Value) throws -> Void) -> Future<Value> {
        map { value in
            try check(value)
            return value
        }
    }

    /// A future that settles after a closure has run, whatever the outcome.
    ///
    /// - Parameter completion: Run where the future settles. What it throws becomes the failure.
    /// - Returns: The new future.
    @discardableResult
    public func onCompletion(_ completion: @escaping @Sendable () throws -> Void) -> Future<Value> {
        transformed { outcome in
            do { try completion() } catch { return .failure(Failure(error, issues: .shared)) }
            return outcome
        }
    }

    /// A future that settles as the outcome is transformed.
    func transformed<NewValue: Sendable>(
        _ transform: @escaping @Sendable (FutureOutcome<Value>) -> FutureOutcome<NewValue>
    ) -> Future<NewValue> {
        if let outcome { return Future<NewValue>(transform(outcome)) }
        let pending = PendingFuture<NewValue>()
        feed(pending, transform)
        return Future<NewValue>(storage: .pending(pending))
    }

    /// A future that settles as the one that `next` makes of the outcome.
    func chained<NewValue: Sendable>(
        _ next: @escaping @Sendable (FutureOutcome<Value>) -> Future<NewValue>
    ) -> Future<NewValue> {
        if let outcome { return next(outcome) }
        guard case .pending(let source) = storage else { return Future<NewValue>(error: CoreError.Unknown()) }
        let pending = PendingFuture<NewValue>()
        let identifier = Deliveries.drained { deliveries in
            source.forward(
                { outcome, deliveries in
                    // Cancelled while `source` was telling its listeners: nobody wants the next step any more.
                    guard pending.outcome == nil else { return outcome.dismiss() }
                    next(outcome).feed(pending, &deliveries) { $0 }
                },
                &deliveries
            )
        }
        // Once `source` has settled, `feed` has said how to cancel what comes next: that stands.
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
