#if Command
import ArgumentParser

struct ReplicateFollowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Prints the commits of all machines as they arrive, until interrupted.",
        discussion: """
            Each commit begins with its position in the cluster's order, and lists the keys that it writes. When the connection is \
            lost, the command says so and reads on when the cluster answers again. If the history in between was trimmed, the \
            command says that commits were missed. --format json prints one line with an object for each commit.
            """
    )

    @Argument(help: "The address of a store in a cluster.")
    var address: ArgumentText

    @Option(
        help: "The number of commits to print before the command exits. By default, the command runs until interrupted."
    )
    var count: Int?

    @OptionGroup var output: FormatOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func run() throws {
        let console = Console.current
        let inbox = Inbox<ClusterFollower.Event>()
        let follower = try ClusterFollower(ClusterAddress(required: address.text))
        let task = Task.detached { await follower.run { inbox.add($0) } }
        Interruption.begin()
        defer {
            task.cancel()
            Interruption.end()
        }
        var printed = 0
        while true {
            let events = inbox.next()
            if events.isEmpty, Interruption.hasCome { return }
            for event in events {
                switch event {
                case .failure(let message): console.complain(message)
                case .missed:
                    if output.format == .json {
                        try console.print(JSONWriter.object([("missed", "true")]))
                    } else {
                        try console.print("Commits were missed. Read the entries again with `larder list`.")
                    }
                case .commit(let commit):
                    for line in output.format == .json ? [commit.json] : commit.lines { try console.print(line) }
                    printed += 1
                    if printed == count { return }
                }
            }
        }
    }
}
#endif
