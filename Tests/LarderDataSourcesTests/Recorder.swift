import LarderCore
import Synchronization

/// Records the arguments of closure calls, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }

    func add(_ value: Value) { recorded.withLock { $0.append(value) } }
}

/// Returns the issues that `work` reports.
func issues(during work: () throws -> Void) rethrows -> [LarderIssue] {
    let recorder = Recorder<LarderIssue>()
    try withIssueHandler({ recorder.add($0) }, operation: work)
    return recorder.values
}
