#if Command
import ArgumentParser
import LarderCore
import LarderDeviceStore
import LarderStores

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the store, even while other processes use it.",
        discussion: """
            The copy is a consistent snapshot. When the command returns 0, the copy is on disk. An existing file is never \
            overwritten. The copy of an encrypted store is encrypted too, and backing it up needs no key.
            """
    )

    @Argument(help: "The path of the copy to create.")
    var destination: ArgumentText

    @OptionGroup var output: FormatOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let (path, kind) = try store.opener.existing()
        let base = try StoreOpener.open(path, kind: kind, for: .reading)
        try ProgressBar.during("backing up") { progress in
            if let store = base as? DeviceStore {
                try store.backup(to: destination.text, progress: progress)
            } else if let store = base as? WholeFileStore {
                try FileBackup(of: store, to: destination.text).run(progress)
            } else {
                throw CommandFailure.usage(
                    "The store \(path.debugDescription) can't be backed up. Export its entries with `larder export` instead."
                )
            }
        }
        if output.format == .json {
            return try console.print(
                JSONWriter.object([
                    ("store", JSONWriter.string(path)), ("backup", JSONWriter.string(destination.text)),
                    ("entries", String(try base.count())),
                ])
            )
        }
        try console.print("Copied \(path.debugDescription) to \(destination.text.debugDescription).")
    }
}
#endif
