#if Inspector
import LarderCore
import Synchronization

/// An issue with the time and the instance.
struct LoggedIssue: Sendable {
    let date: String
    /// The identity of the instance, or `nil` if it is unknown.
    let instance: String?
    let name: String
    let code: String
    let message: String
    let cause: String?
    let remedy: String

    init(_ issue: LarderIssue, date: String, _ inspected: InspectedInstance?) {
        self.date = date
        instance = inspected?.id
        name = inspected?.instance.inspectionName ?? ""
        code = issue.code.description
        message = ErrorCause.bounded(issue.message)
        cause = issue.underlying.map(ErrorCause.text)
        remedy = IssueRemedy.text(for: issue.code)
    }
}

/// The latest issues of the inspected instances.
package final class IssueLog: Sendable {
    private struct Channel {
        let channel: IssueChannel
        /// The instance to which the issues belong, or `nil` for issues that belong to none.
        let inspected: InspectedInstance?
    }

    private struct State {
        /// The latest issues, oldest first.
        var issues: [LoggedIssue] = []
        var counts: [String: Int] = [:]
    }

    private let channels: [Channel]
    private let time: any TimeSource
    private let state = Mutex(State())
    private let onIssue: @Sendable (LoggedIssue) -> Void

    private static let limit = 1_000

    init(_ instances: [InspectedInstance], _ time: any TimeSource, onIssue: @escaping @Sendable (LoggedIssue) -> Void) {
        var channels = [Channel(channel: .shared, inspected: nil)]
        for inspected in instances {
            guard let channel = inspected.instance.inspectionIssues else { continue }
            // Typed keys share the channel of their store. Its issues are shown once, with the first instance.
            if !channels.contains(where: { $0.channel === channel }) {
                channels.append(Channel(channel: channel, inspected: inspected))
            }
        }
        self.channels = channels
        self.time = time
        self.onIssue = onIssue
    }

    /// Collects issues until the task is canceled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for channel in channels {
                group.addTask { for await issue in channel.channel { self.add(issue, channel.inspected) } }
            }
        }
    }

    /// Adds an issue, and removes the oldest one if there are too many.
    func add(_ issue: LarderIssue, _ inspected: InspectedInstance?) {
        let logged = LoggedIssue(issue, date: StoredValue.date(time.now).description, inspected)
        state.withLock { state in
            if state.issues.count >= Self.limit { state.issues.removeFirst() }
            state.issues.append(logged)
            if let inspected { state.counts[inspected.id, default: 0] += 1 }
        }
        onIssue(logged)
    }

    func count(of inspected: InspectedInstance) -> Int { state.withLock { $0.counts[inspected.id] ?? 0 } }

    func json() -> JSONText {
        let issues = state.withLock(\.issues)
        var json = JSONText()
        json.object { json in
            json.name("issues")
            json.array(issues.reversed()) { $0.issue($1) }
        }
        return json
    }
}

extension JSONText {
    mutating func issue(_ issue: LoggedIssue) {
        object { json in
            json.member("date", issue.date)
            json.member("instance", issue.instance)
            json.member("name", issue.name)
            json.member("code", issue.code)
            json.member("message", issue.message)
            json.member("cause", issue.cause)
            json.member("remedy", issue.remedy)
        }
    }
}
#endif
