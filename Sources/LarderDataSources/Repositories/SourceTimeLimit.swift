import LarderCore

/// How long one call of a source may take before its caller stops waiting.
struct SourceTimeLimit: Sendable {
    /// `nil` for as long as it takes.
    let limit: Duration?
    let time: any TimeSource

    /// A read that fails with ``FutureError/Code/timedOut`` when the source does not answer in time.
    func reading<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .unanswered($0) }
    }

    /// A write that fails with ``FutureError/Code/mayHaveHappened`` when the source does not answer in time.
    func writing<Value: Sendable>(_ future: Future<Value>) -> Future<Value> {
        future.limited(to: limit, time: time) { .mayHaveHappened($0) }
    }
}
