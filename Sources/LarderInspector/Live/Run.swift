#if Inspector
import LarderCore

/// An action that runs or has ended.
struct Run: Sendable {
    enum State: String, Sendable {
        case running, done, failed, cancelled
    }

    let id: String
    let action: String
    let instance: String
    var completed = 0
    var total: Int?
    var state = State.running
    var facts: [InspectionFact] = []
    /// Why the action failed, and what to do.
    var message: String?
    /// The name of the file that the action has made, as long as the file is kept.
    var file: String?
    /// The size of the file in bytes.
    var fileSize = 0

    init(id: String, action: String, instance: String) {
        self.id = id
        self.action = action
        self.instance = instance
    }
}

extension JSONText {
    mutating func run(_ run: Run) {
        object { json in
            json.member("run", run.id)
            json.member("action", run.action)
            json.member("instance", run.instance)
            json.member("completed", run.completed)
            json.member("total", run.total)
            json.member("state", run.state.rawValue)
            json.name("facts")
            json.array(run.facts) { $0.fact($1) }
            json.member("message", run.message)
            json.member("file", run.file)
        }
    }
}
#endif
