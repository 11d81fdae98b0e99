public import LarderCore
import Synchronization

/// The error of a failed future, shared by its copies, which reports itself when the last of them goes unheard.
@usableFromInline
final class Failure: Sendable {
    /// Looking at it is not dealing with it: see ``takeError()``.
    let error: any Error
    private let issues: IssueChannel
    private let isHeard: Atomic<Bool>

    init(_ error: any Error, issues: IssueChannel) {
        self.error = error
        self.issues = issues
        // That there is no value is an answer, and being cancelled was asked for: neither is a failure.
        isHeard = Atomic(error is CoreError.NotFound || error is CancellationError)
    }

    /// The error, for someone who will deal with it.
    func takeError() -> any Error {
        isHeard.store(true, ordering: .relaxed)
        return error
    }

    /// Marks the failure as handled: the reader that waited for the outcome has received another one.
    func dismiss() { isHeard.store(true, ordering: .relaxed) }

    deinit {
        guard !isHeard.load(ordering: .relaxed) else { return }
        issues.report(
            LarderIssue(
                .unheardFailure,
                "A future failed and nobody looked at it: add `fail`, or await its `value`.",
                underlying: error
            )
        )
    }
}

extension LarderIssue.Code {
    /// A ``Future`` failed and went without anybody having looked at its outcome.
    public static let unheardFailure = LarderIssue.Code("unheardFailure")
}
