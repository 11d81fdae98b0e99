import LarderCore
import Synchronization

/// The issues that the handler of a test received, in order.
final class HeardIssues: Sendable {
    private let issues = Mutex<[LarderIssue]>([])

    var all: [LarderIssue] { issues.withLock(\.self) }

    @Sendable func add(_ issue: LarderIssue) { issues.withLock { $0.append(issue) } }
}
