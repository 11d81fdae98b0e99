#if Command
import ArgumentParser
import LarderCore

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads the whole store and checks it.",
        discussion: "Changes nothing. Status 2 when anything is wrong; each problem is a line on standard error."
    )

    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let store = try store.opener.openExisting()
        let result = try store.verify()
        let entries = "\(result.checkedEntries) \(result.checkedEntries == 1 ? "entry" : "entries")"
        guard result.isIntact else {
            for problem in result.problems { console.complain(problem.sentence) }
            throw CommandFailure.storage(
                "\(store.inspectionName) has \(result.problems.count) problem(s) in \(entries): `larder repair` copies it aside."
            )
        }
        try console.print("\(store.inspectionName): \(entries) read, nothing wrong.")
    }
}
#endif
