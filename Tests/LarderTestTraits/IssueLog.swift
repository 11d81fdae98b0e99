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
    /// The lines below the level of a warning, which are not printed.
    private let quietLines = Mutex<[String]>([])

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

    fileprivate func keep(_ line: String) { quietLines.withLock { $0.append(line) } }

    func lines(containing text: String) -> [String] { quietLines.withLock { $0.filter { $0.contains(text) } } }

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
            let line = event.message.description
            guard event.level >= .warning else {
                IssueLog.shared.keep("\(event.level) \(line)")
                return
            }
            guard !IssueLog.shared.expects(line) else { return }
            base.log(event: event)
        }
    }
}

/// Returns the lines that were logged below the level of a warning and that contain a text, each after the name of its level.
///
/// - Parameter text: A text that only the lines of one test contain, such as the path of a file.
/// - Returns: The lines in order.
package func quietLogLines(containing text: String) -> [String] { IssueLog.shared.lines(containing: text) }
