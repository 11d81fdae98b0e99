extension Future {
    /// A future that settles later, and what settles it.
    ///
    /// - Returns: The future, and its resolver.
    public static func pending() -> (future: Future<Value>, resolver: FutureResolver<Value>) {
        let pending = PendingFuture<Value>()
        return (Future(storage: .pending(pending)), FutureResolver(pending))
    }

    /// A future that a closure settles, now or later, through the resolver it is given.
    ///
    /// - Parameter work: Run before this returns; it may keep the resolver. An error it throws fails the future.
    public init(resolving work: (FutureResolver<Value>) throws -> Void) {
        let (future, resolver) = Self.pending()
        do { try work(resolver) } catch { resolver.set(error) }
        self = future.withoutPending
    }

    /// The same future; what has settled by now needs no shared state.
    var withoutPending: Future<Value> { outcome.map { Future($0) } ?? self }

    /// A future of asynchronous work, done in a task of its own.
    ///
    /// Cancelling the future cancels the task.
    ///
    /// - Parameters:
    ///   - priority: Of the task; the caller's unless given.
    ///   - work: What to do. It begins at once, on the concurrent executor.
    public init(priority: TaskPriority? = nil, async work: @escaping @Sendable () async throws -> Value) {
        let (future, resolver) = Self.pending()
        let task = Task(priority: priority) {
            do { resolver.set(try await work()) } catch { resolver.set(error) }
        }
        resolver.onCancel { task.cancel() }
        self = future
    }

    /// Makes `pending` settle as this future does, by way of `transform`; cancelling `pending` takes the interest away.
    func feed<NewValue>(
        _ pending: PendingFuture<NewValue>,
        _ transform: @escaping @Sendable (FutureOutcome<Value>) -> FutureOutcome<NewValue>
    ) {
        Deliveries.drained { feed(pending, &$0, transform) }
    }

    /// As ``feed(_:_:)``, by way of the deliveries.
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
