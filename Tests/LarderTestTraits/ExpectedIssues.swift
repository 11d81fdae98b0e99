package import LarderCore
import Synchronization
package import Testing

/// Takes the issues that a test causes on purpose, so that what a run of the tests prints is news.
///
/// An issue of another code is a failure of the test. Issues that a thread of Larder's own reports don't arrive here: a test that
/// causes one reads the store's ``LarderCore/KeyValueStore/issues``.
package struct ExpectedIssues: SuiteTrait, TestTrait, TestScoping {
    /// What may be reported.
    let codes: Set<LarderIssue.Code>

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let others = Mutex<[LarderIssue]>([])
        try await withIssueHandler { issue in
            guard !codes.contains(issue.code) else { return }
            others.withLock { $0.append(issue) }
        } operation: {
            try await function()
        }
        for issue in others.withLock({ $0 }) { Issue.record("\(test.name) reported an issue: \(issue)") }
    }
}

extension Trait where Self == ExpectedIssues {
    /// The test may cause issues of these codes, and no others; they are not printed.
    package static func expectsIssues(_ codes: LarderIssue.Code...) -> Self { ExpectedIssues(codes: Set(codes)) }
}
