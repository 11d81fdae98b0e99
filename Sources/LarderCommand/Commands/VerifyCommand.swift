#if Command
import ArgumentParser
import LarderCore

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks the entire store for corruption.",
        discussion: """
            The store is not changed. If there are problems, they are printed to standard error, one per line, and the exit \
            status is 2.
            """
    )

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let check = StoreCheck(opener: store.opener)
        // The check returns all problems, so issues that stores report during the check are ignored.
        let checked = try withIssueHandler({ _ in }) {
            try ProgressBar.during("verifying") { try check.run($0) }
        }
        let result = checked.verification
        let entries = counted(result.checkedEntries, "entry", "entries")
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
            let problems = counted(result.problems.count, "problem")
            let finding = "\(checked.store.debugDescription) has \(problems) in \(entries)"
            throw CommandFailure.storage(
                checked.isFileDamaged
                    ? "\(finding). Run `larder repair`, which makes a backup copy of the file first."
                    : "\(finding), but the file itself is intact. Follow the advice that each problem contains."
            )
        }
        if output.format == .table {
            try console.print("Checked \(entries) in \(checked.store.debugDescription). No problems were found.")
        }
    }
}
#endif
