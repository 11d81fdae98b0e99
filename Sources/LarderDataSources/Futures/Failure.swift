public import LarderCore
import Synchronization

/// The error of a failed future, shared by all copies of the future.
///
/// If the last copy is released before the error is handled, the error is reported.
@usableFromInline
final class Failure: Sendable {
    /// The error with which the future failed.
    ///
    /// Reading this property does not mark the error as handled. Use ``takeError()`` for that.
    let error: any Error
    private let issues: IssueChannel
    private let isHeard: Atomic<Bool>

    init(_ error: any Error, issues: IssueChannel) {
        self.error = error
        self.issues = issues
        // A missing value is a valid answer, and a cancellation was requested by the caller, so these errors are not reported.
        isHeard = Atomic(error is CoreError.NotFound || error is CancellationError)
    }

    /// Returns the error and marks it as handled.
    func takeError() -> any Error {
        isHeard.store(true, ordering: .relaxed)
        return error
    }

    /// Marks the error as handled without returning the error.
    func dismiss() { isHeard.store(true, ordering: .relaxed) }

    deinit {
        guard !isHeard.load(ordering: .relaxed) else { return }
        issues.report(
            LarderIssue(
                .unhandledFailure,
                "A future failed and its error was never handled. Add a `fail` closure or await the future's `value`.",
                underlying: error
            )
        )
    }
}

extension LarderIssue.Code {
    /// A ``Future`` failed, and its last copy was released before the error was handled.
    public static let unhandledFailure = LarderIssue.Code("unhandledFailure")
}
