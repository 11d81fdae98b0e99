import LarderCore
import Synchronization

/// The issues that the store under test has reported.
final class Issues: Sendable {
    private let state = Mutex<[LarderIssue]>([])
    func add(_ issue: LarderIssue) { state.withLock { $0.append(issue) } }
    var all: [LarderIssue] { state.withLock { $0 } }
}
