package import LarderCore
package import Testing

/// A trait that keeps the issues that a test causes on purpose out of the log.
///
/// `Scripts/test.sh` fails if an issue is printed. The trait affects only the log, so handlers and readers of a store's issues still
/// receive the issues.
package struct ExpectedIssues: SuiteTrait, TestTrait, TestScoping {
    /// The codes of the issues that the test may cause.
    let codes: [LarderIssue.Code]

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        IssueLog.shared.expect(codes)
        defer { IssueLog.shared.stopExpecting(codes) }
        try await function()
    }
}

extension Trait where Self == ExpectedIssues {
    /// Returns a trait for a test that may cause issues with the given codes, which are not printed while the test runs.
    package static func expectsIssues(_ codes: LarderIssue.Code...) -> Self { ExpectedIssues(codes: codes) }
}
