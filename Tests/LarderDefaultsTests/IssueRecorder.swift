import LarderCore
import Synchronization

/// Collects issues that are reported on several threads.
final class IssueRecorder: Sendable {
    private let recorded = Mutex<[LarderIssue]>([])

    var issues: [LarderIssue] { recorded.withLock { $0 } }

    func add(_ issue: LarderIssue) { recorded.withLock { $0.append(issue) } }
}

/// Returns the issues that `work` reports.
func issues(during work: () throws -> Void) rethrows -> [LarderIssue] {
    let recorder = IssueRecorder()
    try withIssueHandler({ recorder.add($0) }, operation: work)
    return recorder.issues
}
