import Synchronization

/// The listeners and cancellation handlers that settling or cancelling a future has still to call.
///
/// A future that was made from another one is settled here rather than by a nested call, so that a chain of any length needs the
/// stack of one link. The order is that of nested calls: what a listener leads to comes before the next listener.
struct Deliveries {
    typealias Call = @Sendable (inout Deliveries) -> Void

    /// The last one is the next to be made.
    private var calls: [Call] = []

    /// Adds a call that is made before all others that wait.
    mutating func push(_ call: @escaping Call) { calls.append(call) }

    /// Makes every call, those included that are added meanwhile.
    ///
    /// No lock may be held.
    mutating func drain() {
        while let call = calls.popLast() { call(&self) }
    }

    /// Runs `body`, then makes the calls that it added.
    static func drained<Result>(_ body: (inout Deliveries) -> Result) -> Result {
        var deliveries = Deliveries()
        let result = body(&deliveries)
        deliveries.drain()
        return result
    }
}

// MARK: - Ends that come of ends

extension Deliveries {
    /// Runs `body`, then makes the calls that it added and those of every ``ending(_:)`` that they lead to.
    ///
    /// A cancelled task stops waiting for a future inside `Task.cancel()`, and a resolver gives up its future when it is released: neither
    /// can be handed the deliveries. ``ending(_:)`` finds them by the task or thread.
    static func drainedWithEndings(_ body: (inout Deliveries) -> Void) {
        let endings = Endings()
        Endings.$current.withValue(endings) {
            var deliveries = Deliveries()
            body(&deliveries)
            while !deliveries.calls.isEmpty || !endings.close() {
                if let call = deliveries.calls.popLast() { call(&deliveries) }
                // The call is released by now, and with it the resolvers that it held.
                deliveries.calls += endings.take()
            }
        }
    }

    /// Runs `body`, and leaves the calls that it added to the end that led to this one, or makes them when none did.
    ///
    /// For what no caller waits for: the calls may be made after this returns.
    static func ending(_ body: (inout Deliveries) -> Void) {
        guard let current = Endings.current else { return drainedWithEndings(body) }
        var deliveries = Deliveries()
        body(&deliveries)
        if !current.add(deliveries.calls) { drainedWithEndings { $0.calls = deliveries.calls } }
    }
}

/// The calls of ends that were led to by the end that is being delivered.
private final class Endings: Sendable {
    @TaskLocal static var current: Endings?

    /// `nil` once the deliveries are done: a task that was started meanwhile inherits this, and outlives them.
    private let calls = Mutex<[Deliveries.Call]?>([])

    /// Adds calls; `false` when the deliveries are done.
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

    /// Ends the taking; `false` when there are calls to make first.
    func close() -> Bool {
        calls.withLock { calls in
            guard calls?.isEmpty != false else { return false }
            calls = nil
            return true
        }
    }
}
