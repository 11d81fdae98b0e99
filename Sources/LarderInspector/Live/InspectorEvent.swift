#if Inspector
import LarderCore

/// An event for the pages that follow the inspector.
enum InspectorEvent: Sendable {
    /// The first event of a stream.
    case hello(isLive: Bool)
    case changes(ChangesEvent)
    case statistics(instance: String, [InspectionStatistic])
    case issue(LoggedIssue)
    case run(Run)
    /// The event after those that make up for lost ones.
    ///
    /// The page reads the issues again, of which the stream does not repeat the lost ones.
    case lost

    /// The event in the format of server-sent events.
    var bytes: [UInt8] {
        var json = JSONText()
        let name: String
        switch self {
        case .hello(let isLive):
            name = "hello"
            json.object { json in
                json.member("isLive", isLive)
                json.member("version", Page.version)
            }
        case .changes(let event):
            name = "changes"
            json.changes(event)
        case .statistics(let instance, let statistics):
            name = "statistics"
            json.object { json in
                json.member("instance", instance)
                json.name("statistics")
                json.statistics(statistics)
            }
        case .issue(let issue):
            name = "issue"
            json.issue(issue)
        case .run(let run):
            name = "run"
            json.run(run)
        case .lost:
            name = "lost"
            json.object { _ in }
        }
        // JSON contains no line breaks, so one line of data is enough.
        return Array("event: \(name)\ndata: ".utf8) + json.bytes + Array("\n\n".utf8)
    }

    /// A line that keeps a connection from being considered dead.
    static let comment = Array(":\n\n".utf8)
}
#endif
