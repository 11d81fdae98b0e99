#if Command
import ArgumentParser
import LarderCore

struct RepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Copies a damaged store aside and keeps what can still be read.",
        discussion: """
            The damaged file is copied to a name of its own beside it before anything is changed. A store with nothing wrong \
            is left as it is.
            """
    )

    @OptionGroup var store: StoreOptions

    func run() throws {
        for line in try StoreRepair(opener: store.opener).run() { try Console.current.print(line) }
    }
}
#endif
