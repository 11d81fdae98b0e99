/// The listeners and cancellation handlers that settling or cancelling a future has still to call.
///
/// A future that was made from another one is settled here rather than by a nested call, so that a chain of any length needs the
/// stack of one link. The order is that of nested calls: what a listener leads to comes before the next listener.
struct Deliveries {
    typealias Call = (inout Deliveries) -> Void

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
