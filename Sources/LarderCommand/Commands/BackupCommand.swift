#if Command
import ArgumentParser
import LarderCore
import LarderDeviceStore
import LarderStores

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a copy of the store as it is at one moment, while it is in use.",
        discussion: """
            When the command returns 0 the copy is on the disk. Nothing may be at its path yet. A copy of an encrypted store \
            is encrypted; no key is needed.
            """
    )

    @Argument(help: "The path of the copy.")
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
            } else if let store = base as? any WholeFileStore {
                try FileBackup(of: store, to: destination.text).run(progress)
            } else {
                throw CommandFailure.usage("\(path) is no file that can be copied.")
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
        try console.print("\(path) was copied to \(destination.text).")
    }
}
#endif
