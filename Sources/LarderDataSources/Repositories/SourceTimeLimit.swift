import LarderCore

/// The timeout for a single call to a data source.
struct SourceTimeLimit: Sendable {
    /// The maximum duration of a call, or `nil` for no timeout.
    let limit: Duration?
    let time: any TimeSource

    /// Returns a future with the outcome of a read, or with ``FutureError/Code/timedOut`` if the call times out.
    func reading<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .unanswered($0) }
    }

    /// Returns a future with the outcome of a write, or with ``FutureError/Code/mayHaveHappened`` if the call times out.
    func writing<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .mayHaveHappened($0) }
    }
}
