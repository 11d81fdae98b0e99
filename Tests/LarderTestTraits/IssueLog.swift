import LarderCore
import Logging
import Synchronization

/// The log of the tests' process, without the issues that a running test expects.
///
/// An issue may be reported by any thread, so which test caused it is not known: one that another test causes at the same time is
/// left out too, and is printed in the next run.
final class IssueLog: Sendable {
    /// The log of this process, which is set up with the first use.
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

    /// Whether a line of the log is an issue that a test expects: an issue's description begins with its code.
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
