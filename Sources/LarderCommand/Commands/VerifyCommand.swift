#if Command
import ArgumentParser
import LarderCore
import LarderStores

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads the whole store and checks it.",
        discussion: "Changes nothing. Status 2 when anything is wrong; each problem is a line on standard error."
    )

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let store = try self.store.opener.openForChecking()
        let result = try ProgressBar.during("verifying") { progress in
            try (store as? DeviceStore)?.verify(progress: progress) ?? store.verify()
        }
        let entries = "\(result.checkedEntries) \(result.checkedEntries == 1 ? "entry" : "entries")"
        if output.format == .json {
            try console.print(
                JSONWriter.object([
                    ("store", JSONWriter.string(store.inspectionName)),
                    ("kind", JSONWriter.string(store.inspectionKind)),
                    ("checkedEntries", String(result.checkedEntries)), ("isIntact", JSONWriter.bool(result.isIntact)),
                    ("problems", JSONWriter.list(result.problems.map(JSONWriter.problem))),
                ])
            )
        }
        guard result.isIntact else {
            for problem in result.problems { console.complain(problem.sentence) }
            throw CommandFailure.storage(
                "\(store.inspectionName) has \(result.problems.count) problem(s) in \(entries): `larder repair` copies it aside."
            )
        }
        if output.format == .table { try console.print("\(store.inspectionName): \(entries) read, nothing wrong.") }
    }
}
#endif
