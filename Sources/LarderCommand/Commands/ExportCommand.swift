#if Command
import ArgumentParser
import LarderCore
import LarderFiles
import LarderDeviceStore
import LarderStores

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the entries of the store to a new file.",
        discussion: """
            The end of the file's name says what it becomes: .json, .plist, .xml (Android's shared preferences) or .larder (a \
            device store). Nothing may be there yet. Unless --possible is given, no file is made when it can't hold an entry: \
            that is status 1, each one a line on standard error. What was encrypted is not encrypted there.
            """
    )

    @Argument(help: "The file to make.")
    var destination: ArgumentText

    @Option(help: "What to make of it, where its name doesn't say it.")
    var to: TransferFormat?

    @OptionGroup var transfer: TransferOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let path = destination.text
        guard let format = to ?? TransferFormat.ofName(path) else { throw TransferFormat.unknown(path) }
        guard try !LocalFileSystem().isThere(path) else {
            throw CommandFailure.usage("There is something at \(path): give a path where nothing is.")
        }
        let source = try store.opener.openExisting(for: .reading)
        guard let kind = format.storeKind else { return try exportJSON(of: source, to: path) }
        if kind == .device {
            // What it would refuse is known before there is a file: all stores of entries refuse the same.
            let preview = try MemoryStore(name: path).previewOfCopy(
                from: source,
                prefix: keys.keyPrefix,
                transfer.completeness
            )
            if transfer.dryRun || preview.carried.isEmpty && !preview.refused.isEmpty {
                return try transfer.report(preview, from: source.inspectionName, to: path, output.format)
            }
        }
        let destination = try StoreOpener.open(path, kind: kind, for: .writing)
        try transfer.run(from: source, prefix: keys.keyPrefix, into: destination, output.format)
        if let device = destination as? DeviceStore { try device.close() }
        // Nothing to copy is no commit, and so no file yet.
        if !transfer.dryRun, let file = destination as? any WholeFileStore { try file.makeFile() }
    }

    private func exportJSON(of source: any KeyValueStore, to path: String) throws {
        let entries = try source.entries(prefix: keys.keyPrefix)
        let text = ProgressBar.during("exporting") { EntriesDocument.text(entries, $0) + "\n" }
        if !transfer.dryRun {
            do {
                try LocalFileSystem().create(path) { try $0.write(Array(text.utf8), at: 0) }
            } catch {
                throw CommandFailure.storage("\(path) could not be written: \(error)")
            }
        }
        let memory = MemoryStore(name: path)
        let outcome = try memory.copyEntries(from: source, prefix: keys.keyPrefix, .all)
        try transfer.report(outcome, from: source.inspectionName, to: path, output.format)
    }
}
#endif
