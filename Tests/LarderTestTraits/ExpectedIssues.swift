package import LarderCore
package import Testing

/// Keeps the issues that a test causes on purpose out of the log, so that what a run of the tests prints is news.
///
/// `Scripts/test.sh` fails when an issue is printed. Where an issue arrives is not changed: handlers and readers of a store's issues
/// get it as ever.
package struct ExpectedIssues: SuiteTrait, TestTrait, TestScoping {
    /// What may be reported.
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
    /// The test may cause issues of these codes, which are not printed while it runs.
    package static func expectsIssues(_ codes: LarderIssue.Code...) -> Self { ExpectedIssues(codes: codes) }
}
