extension Future {
    /// Returns a pending future and the resolver that settles it.
    ///
    /// - Returns: The future and its resolver.
    public static func pending() -> (future: Future<Value>, resolver: FutureResolver<Value>) {
        let pending = PendingFuture<Value>()
        return (Future(storage: .pending(pending)), FutureResolver(pending))
    }

    /// Creates a future that a closure settles through a resolver.
    ///
    /// - Parameter work: A closure that runs before this initializer returns. It may keep the resolver and settle the future later. If the
    ///   closure throws, the future fails with that error.
    public init(resolving work: (FutureResolver<Value>) throws -> Void) {
        let (future, resolver) = Self.pending()
        do { try work(resolver) } catch { resolver.set(error) }
        self = future.withoutPending
    }

    /// This future, or a copy without shared state if this future has settled.
    var withoutPending: Future<Value> { outcome.map { Future($0) } ?? self }

    /// Creates a future that runs asynchronous work in a new task.
    ///
    /// Cancelling the future cancels the task.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task, or `nil` to use the caller's priority.
    ///   - work: The asynchronous work. It starts immediately, on the concurrent executor.
    public init(priority: TaskPriority? = nil, async work: @escaping @Sendable () async throws -> Value) {
        let (future, resolver) = Self.pending()
        let task = Task(priority: priority) {
            do { resolver.set(try await work()) } catch { resolver.set(error) }
        }
        resolver.onCancel { task.cancel() }
        self = future
    }

    /// When this future settles, settles `pending` with the transformed outcome.
    ///
    /// Cancelling `pending` removes the listener from this future.
    func feed<NewValue>(
        _ pending: PendingFuture<NewValue>,
        _ transform: @escaping @Sendable (FutureOutcome<Value>) -> FutureOutcome<NewValue>
    ) {
        Deliveries.drained { feed(pending, &$0, transform) }
    }

    /// Behaves like ``feed(_:_:)``, but adds the listener calls to `deliveries` instead of making them immediately.
    func feed<NewValue>(
        _ pending: PendingFuture<NewValue>,
        _ deliveries: inout Deliveries,
        _ transform: @escaping @Sendable (FutureOutcome<Value>) -> FutureOutcome<NewValue>
    ) {
        switch storage {
        case .value(let value): pending.settle(transform(.value(value)), &deliveries)
        case .failure(let failure): pending.settle(transform(.failure(failure)), &deliveries)
        case .pending(let source):
            let identifier = source.forward({ pending.settle(transform($0), &$1) }, &deliveries)
            if let identifier { pending.onCancel({ source.remove(identifier, &$0) }, &deliveries) }
        }
    }
}
