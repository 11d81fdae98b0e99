import Synchronization

/// A queue of listeners and cancellation handlers to call after a future is settled or cancelled.
///
/// Dependent futures are settled from this queue instead of by nested calls, so a chain of any length uses constant stack space. Calls run
/// in the same order as nested calls would. All calls that a listener triggers run before the next listener.
struct Deliveries {
    typealias Call = @Sendable (inout Deliveries) -> Void

    /// The queued calls, stored as a stack whose last element is called next.
    private var calls: [Call] = []

    /// Adds `call` before all other calls in the queue.
    mutating func push(_ call: @escaping Call) { calls.append(call) }

    /// Makes all queued calls, including calls that are added while the queue is being drained.
    ///
    /// The caller must not hold a lock.
    mutating func drain() {
        while let call = calls.popLast() { call(&self) }
    }

    /// Runs `body`, then makes the calls that `body` added.
    static func drained<Result>(_ body: (inout Deliveries) -> Result) -> Result {
        var deliveries = Deliveries()
        let result = body(&deliveries)
        deliveries.drain()
        return result
    }
}

// MARK: - Settling inside another future's delivery

extension Deliveries {
    /// Runs `body` and makes the calls that it adds.
    ///
    /// Also makes the calls that ``ending(_:)`` adds during the delivery.
    ///
    /// ``ending(_:)`` finds this queue through a task-local value, because `Task.cancel()` and the deinitializer of a resolver can't pass
    /// the queue on.
    static func drainedWithEndings(_ body: (inout Deliveries) -> Void) {
        let endings = Endings()
        Endings.$current.withValue(endings) {
            var deliveries = Deliveries()
            body(&deliveries)
            while !deliveries.calls.isEmpty || !endings.close() {
                if let call = deliveries.calls.popLast() { call(&deliveries) }
                // Takes the calls only after `call` is released, because releasing `call` can release resolvers that it captured.
                deliveries.calls += endings.take()
            }
        }
    }

    /// Runs `body` and passes the calls that it adds to the enclosing ``drainedWithEndings(_:)``.
    ///
    /// If there is no enclosing ``drainedWithEndings(_:)``, makes the added calls immediately. Otherwise the added calls can run after this
    /// method returns.
    static func ending(_ body: (inout Deliveries) -> Void) {
        guard let current = Endings.current else { return drainedWithEndings(body) }
        var deliveries = Deliveries()
        body(&deliveries)
        if !current.add(deliveries.calls) { drainedWithEndings { $0.calls = deliveries.calls } }
    }
}

/// The calls that ``Deliveries/ending(_:)`` passes to the enclosing ``Deliveries/drainedWithEndings(_:)``.
private final class Endings: Sendable {
    @TaskLocal static var current: Endings?

    /// The calls to make, or `nil` after the delivery has ended.
    ///
    /// A task that was started during the delivery can outlive the delivery.
    private let calls = Mutex<[Deliveries.Call]?>([])

    /// Adds calls to the delivery in progress.
    ///
    /// Returns `false` if the delivery has ended.
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

    /// Stops accepting calls if all accepted calls have been made.
    ///
    /// Returns `false`, and has no effect, if there are calls left to make.
    func close() -> Bool {
        calls.withLock { calls in
            guard calls?.isEmpty != false else { return false }
            calls = nil
            return true
        }
    }
}
