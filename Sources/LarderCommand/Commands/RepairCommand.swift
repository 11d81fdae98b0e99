#if Command
import ArgumentParser
import LarderCore

struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repairs a corrupt store and keeps its readable values.",
        discussion: """
            Before the corrupt file is changed, it is copied to a new file in the same folder. An intact store is not changed. For \
            a device store, the command also lists the keys that may have lost their latest value.
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
            try console.print("The value under key \(key.debugDescription) may not be the latest one.")
        }
    }
}
#endif
