import LarderCore

/// The maximum duration of a single call to a data source.
struct SourceTimeLimit: Sendable {
    /// The maximum duration, or `nil` for no limit.
    let limit: Duration?
    let time: any TimeSource

    /// Adds the time limit to a read, which fails with ``FutureError/Code/timedOut`` if the source does not answer in time.
    func reading<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .unanswered($0) }
    }

    /// Adds the time limit to a write, which fails with ``FutureError/Code/mayHaveHappened`` if the source does not answer in time.
    func writing<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .mayHaveHappened($0) }
    }
}
