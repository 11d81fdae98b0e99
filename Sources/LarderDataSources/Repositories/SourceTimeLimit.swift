import LarderCore

/// The maximum duration of a single call to a data source.
struct SourceTimeLimit: Sendable {
    /// The maximum duration, or `nil` for no limit.
    let limit: Duration?
    let time: any TimeSource

    /// Returns a future with the outcome of a read, or with ``FutureError/Code/timedOut`` if the time limit is exceeded.
    func reading<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .unanswered($0) }
    }

    /// Returns a future with the outcome of a write, or with ``FutureError/Code/mayHaveHappened`` if the time limit is exceeded.
    func writing<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .mayHaveHappened($0) }
    }
}
