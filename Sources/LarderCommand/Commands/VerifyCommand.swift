#if Command
import ArgumentParser
import LarderCore

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
        let check = StoreCheck(opener: store.opener)
        // What stores report meanwhile is among the problems.
        let checked = try withIssueHandler({ _ in }) {
            try ProgressBar.during("verifying") { try check.run($0) }
        }
        let result = checked.verification
        let entries = "\(result.checkedEntries) \(result.checkedEntries == 1 ? "entry" : "entries")"
        if output.format == .json {
            try console.print(
                JSONWriter.object([
                    ("store", JSONWriter.string(checked.store)), ("kind", JSONWriter.string(checked.kind)),
                    ("checkedEntries", String(result.checkedEntries)), ("isIntact", JSONWriter.bool(result.isIntact)),
                    ("problems", JSONWriter.list(result.problems.map(JSONWriter.problem))),
                ])
            )
        }
        if let refusal = checked.refusal { throw refusal }
        guard result.isIntact else {
            for problem in result.problems { console.complain(problem.sentence) }
            let advice =
                checked.isFileDamaged
                ? "`larder repair` copies it aside"
                : "its file is as it was written; what to do stands with each"
            throw CommandFailure.storage(
                "\(checked.store) has \(result.problems.count) problem(s) in \(entries): \(advice)."
            )
        }
        if output.format == .table { try console.print("\(checked.store): \(entries) read, nothing wrong.") }
    }
}
#endif
