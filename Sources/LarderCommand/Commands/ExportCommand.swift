#if Command
import ArgumentParser
import LarderCore
import LarderFiles
import LarderDeviceStore
import LarderStores

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the store's entries to a new file.",
        discussion: """
            The file name extension selects the format: .json, .plist, .xml (Android's shared preferences) or .larder (a device \
            store). An existing file is never overwritten. If the format can't represent an entry, the exit status is 1, \
            standard error has one line per rejected entry, and no file is created unless --possible is given. Entries of \
            an encrypted store are exported unencrypted.
            """
    )

    @Argument(help: "The path of the file to create.")
    var destination: ArgumentText

    @Option(help: "The format of the file to create. It is required only if the file name has no known extension.")
    var to: TransferFormat?

    @OptionGroup var transfer: TransferOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let path = destination.text
        guard let format = to ?? TransferFormat.ofName(path) else { throw TransferFormat.unknown(path, option: "--to") }
        guard try !LocalFileSystem().isThere(path) else {
            throw CommandFailure.alreadyExists(path)
        }
        let source = try store.opener.openExisting(for: .reading)
        guard let kind = format.storeKind else { return try exportJSON(of: source, to: path) }
        if kind == .device {
            // Entries must be rejected before the file is created. A memory store rejects the same entries as a device store.
            let preview = try MemoryStore(name: path).previewOfCopy(
                from: source,
                prefix: keys.keyPrefix,
                transfer.completeness
            )
            if transfer.dryRun || preview.copied.isEmpty && !preview.refused.isEmpty {
                return try transfer.report(preview, from: source.inspectionName, to: path, output.format)
            }
        }
        let destination = try StoreOpener.open(path, kind: kind, for: .writing)
        try transfer.run(from: source, prefix: keys.keyPrefix, into: destination, output.format)
        if let device = destination as? DeviceStore { try device.close() }
        // If no entry was copied, nothing was committed and the file does not exist yet.
        if !transfer.dryRun, let file = destination as? WholeFileStore { try file.makeFile() }
    }

    private func exportJSON(of source: any KeyValueStore, to path: String) throws {
        let entries = try source.entries(prefix: keys.keyPrefix)
        let text = ProgressBar.during("exporting") { EntriesDocument.text(entries, $0) + "\n" }
        if !transfer.dryRun {
            do {
                try LocalFileSystem().create(path) { try $0.write(Array(text.utf8), at: 0) }
            } catch {
                throw CommandFailure.notWritten(path, error)
            }
        }
        let memory = MemoryStore(name: path)
        let outcome = try memory.copyEntries(from: source, prefix: keys.keyPrefix, .all)
        try transfer.report(outcome, from: source.inspectionName, to: path, output.format)
    }
}
#endif
