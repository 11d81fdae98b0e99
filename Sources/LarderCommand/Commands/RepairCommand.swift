#if Command
import ArgumentParser
import LarderCore

struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Copies a damaged store aside and keeps what can still be read.",
        discussion: """
            The damaged file is copied to a name of its own beside it before anything is changed. A store with nothing wrong \
            is left as it is. Of a device store, the keys whose value may be older than the last one written are named.
            """
    )

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let repair = StoreRepair(opener: store.opener)
        let result = try ProgressBar.during("repairing") { try repair.run($0) }
        if output.format == .json {
            return try console.print(
                JSONWriter.object([
                    ("store", JSONWriter.string(result.path)), ("copiedTo", JSONWriter.optional(result.copiedTo)),
                    ("keptEntries", String(result.keptEntries)),
                    ("keysInDoubt", JSONWriter.strings(result.keysInDoubt)),
                    ("recordsInDoubt", JSONWriter.strings(result.recordsInDoubt)),
                    ("problems", JSONWriter.list(result.problems.map(JSONWriter.problem))),
                ])
            )
        }
        try console.print(result.description)
        for problem in result.problems { try console.print(problem.sentence) }
        for key in result.keysInDoubt {
            try console.print("key \(key.debugDescription): its value may be an older one.")
        }
    }
}
#endif
