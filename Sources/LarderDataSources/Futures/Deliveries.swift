import Synchronization

/// A queue of listeners and cancellation handlers to call after a future is settled or cancelled.
///
/// Dependent futures are settled from this queue instead of by nested calls, so a chain of any length uses constant stack space. Calls run
/// depth-first: all calls that a listener triggers run before the next listener.
struct Deliveries {
    typealias Call = @Sendable (inout Deliveries) -> Void

    /// The queued calls, in reverse order: the last element runs next.
    private var calls: [Call] = []

    /// Adds a call at the front of the queue.
    mutating func push(_ call: @escaping Call) { calls.append(call) }

    /// Runs all queued calls, including calls that are added while the queue is being drained.
    ///
    /// The caller must not hold a lock.
    mutating func drain() {
        while let call = calls.popLast() { call(&self) }
    }

    /// Runs `body` with an empty queue, runs the calls that `body` added, and returns the result of `body`.
    static func drained<Result>(_ body: (inout Deliveries) -> Result) -> Result {
        var deliveries = Deliveries()
        let result = body(&deliveries)
        deliveries.drain()
        return result
    }
}

// MARK: - Settling inside another future's delivery

extension Deliveries {
    /// Runs `body` with an empty queue, then runs the calls that `body` and nested calls of ``ending(_:)`` added.
    ///
    /// ``ending(_:)`` finds the queue through a task-local value, because `Task.cancel()` and the deinitializer of a resolver can't take
    /// the queue as an argument.
    static func drainedWithEndings(_ body: (inout Deliveries) -> Void) {
        let endings = Endings()
        Endings.$current.withValue(endings) {
            var deliveries = Deliveries()
            body(&deliveries)
            while !deliveries.calls.isEmpty || !endings.close() {
                if let call = deliveries.calls.popLast() { call(&deliveries) }
                // The calls are taken only after `call` is released, because releasing `call` can release resolvers that it captured.
                deliveries.calls += endings.take()
            }
        }
    }

    /// Runs `body`, and lets the enclosing ``drainedWithEndings(_:)`` run the calls that `body` adds to the queue.
    ///
    /// Without an enclosing ``drainedWithEndings(_:)``, the calls run before this method returns.
    static func ending(_ body: (inout Deliveries) -> Void) {
        guard let current = Endings.current else { return drainedWithEndings(body) }
        var deliveries = Deliveries()
        body(&deliveries)
        if !current.add(deliveries.calls) { drainedWithEndings { $0.calls = deliveries.calls } }
    }
}

/// A thread-safe collection of the calls that ``Deliveries/ending(_:)`` passes to ``Deliveries/drainedWithEndings(_:)``.
private final class Endings: Sendable {
    @TaskLocal static var current: Endings?

    /// The calls to run, or `nil` after the delivery has ended.
    ///
    /// A task that was started during the delivery can call `add(_:)` after the delivery has ended.
    private let calls = Mutex<[Deliveries.Call]?>([])

    /// Adds calls to the delivery in progress.
    ///
    /// Has no effect and returns `false` if the delivery has ended.
    func add(_ new: [Deliveries.Call]) -> Bool {
        calls.withLock { calls in
            guard calls != nil else { return false }
            calls?.append(contentsOf: new)
            return true
        }
    }

    func take() -> [Deliveries.Call] {
        calls.withLock { calls in
            guard calls?.isEmpty == false else { return [] }
            defer { calls = [] }
            return calls ?? []
        }
    }

    /// Ends the delivery if no calls are left to run.
    ///
    /// Returns whether the delivery has ended.
    func close() -> Bool {
        calls.withLock { calls in
            guard calls?.isEmpty != false else { return false }
            calls = nil
            return true
        }
    }
}
