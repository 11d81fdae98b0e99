#if Command
import ArgumentParser
import LarderCore

struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes the values under one or more keys.",
        discussion:
            "All keys that exist are removed in one commit. If any of the keys does not exist, the exit status is 1."
    )

    @Argument(help: "The keys to remove.")
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
            throw CommandFailure.notFound("There is no value for \(names). List the keys with `larder list`.")
        }
    }
}
#endif
