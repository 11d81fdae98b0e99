import LarderCore
import Logging
import Synchronization

/// The log of the test process, which omits the issues that a running test expects.
///
/// Any thread may report an issue, so the log can't tell which test caused it. If another test causes an issue with an expected code at the
/// same time, that issue is omitted too, but may be printed in the next run.
final class IssueLog: Sendable {
    /// The log of this process, which is created when it is first used.
    static let shared = IssueLog()

    private let expected = Mutex<[String: Int]>([:])

    private init() {
        LoggingSystem.bootstrap { label in Handler(base: StreamLogHandler.standardError(label: label)) }
    }

    func expect(_ codes: [LarderIssue.Code]) {
        expected.withLock { expected in for code in codes { expected[code.description, default: 0] += 1 } }
    }

    func stopExpecting(_ codes: [LarderIssue.Code]) {
        expected.withLock { expected in for code in codes { expected[code.description, default: 0] -= 1 } }
    }

    /// Returns whether a line of the log is an issue that a running test expects, according to the code at its beginning.
    fileprivate func expects(_ line: String) -> Bool {
        guard let code = line.split(separator: ":", maxSplits: 1).first else { return false }
        return expected.withLock { $0[String(code), default: 0] > 0 }
    }

    private struct Handler: LogHandler {
        var base: StreamLogHandler

        var metadata: Logger.Metadata {
            get { base.metadata }
            set { base.metadata = newValue }
        }
        var logLevel: Logger.Level {
            get { base.logLevel }
            set { base.logLevel = newValue }
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { base[metadataKey: key] }
            set { base[metadataKey: key] = newValue }
        }

        func log(event: LogEvent) {
            guard !IssueLog.shared.expects(event.message.description) else { return }
            base.log(event: event)
        }
    }
}
