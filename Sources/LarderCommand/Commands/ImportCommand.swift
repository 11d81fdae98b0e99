#if Command
import ArgumentParser
import Foundation
import LarderCore
import LarderStores

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copies entries from a file into the store in one commit.",
        discussion: """
            The file is a property list, an Android shared preferences file, a device store or JSON. The JSON is either the \
            output of `larder list --format json` or one object of plain values. Imported values replace existing values \
            under the same keys. Other keys are unchanged. If the store can't hold an entry, the exit status is 1, standard error \
            has one line per rejected entry, and nothing is copied unless --possible is given. The store is created if it does \
            not exist.
            """
    )

    @Argument(help: "The path of the file to import.")
    var source: ArgumentText

    @Option(
        help:
            "The format of the imported file. It is required only if it can't be detected from the file's content or name."
    )
    var from: TransferFormat?

    @OptionGroup var transfer: TransferOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let source = try openSource()
        let destination = try transfer.dryRun ? store.opener.openPreview() : store.opener.openOrCreate()
        try transfer.run(from: source, prefix: keys.keyPrefix, into: destination, output.format)
    }

    private func openSource() throws -> any KeyValueStore {
        let path = source.text
        guard let format = try TransferFormat.ofFile(at: path).map({ from ?? $0 }) ?? from else {
            throw TransferFormat.unknown(path, option: "--from")
        }
        if let kind = format.storeKind {
            return try StoreOpener(path: path, kind: kind, key: nil).openExisting(for: .reading)
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.storage(
                "The file \(path.debugDescription) is not encoded as UTF-8, which JSON requires. Convert the file to UTF-8."
            )
        }
        return try EntriesDocument.store(text, name: path)
    }
}
#endif
