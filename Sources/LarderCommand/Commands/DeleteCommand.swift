#if Command
import ArgumentParser
import LarderCore

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes the values under one or more keys.",
        discussion: "All keys that are there are removed in one step. A key that was not there is status 1."
    )

    @Argument(help: "The keys.")
    var keys: [ArgumentText]

    @OptionGroup var options: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let store = try store.opener.openExisting(for: .writing)
        let wanted = keys.map(options.key)
        var missing: [StoreKey] = []
        var batch = StoreBatch()
        for key in wanted {
            if try store.get(key) == nil { missing.append(key) } else { batch.remove(key) }
        }
        _ = try store.commit(batch, durability: .synced)
        guard missing.isEmpty else {
            let names = missing.map(\.description).joined(separator: ", ")
            throw CommandFailure.notFound("There is no value for \(names).")
        }
    }
}
#endif
