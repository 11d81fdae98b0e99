#if Command
import ArgumentParser
import Foundation
import LarderCore
import LarderStores

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Copies the entries of a file into the store, in one commit.",
        discussion: """
            The file is a property list, Android's shared preferences, a device store or JSON: the list that `larder list \
            --format json` prints, or one object. A value that is under a key already is replaced; other keys stay. Unless \
            --possible is given, nothing is copied when the store can't hold an entry: that is status 1, each one a line on \
            standard error. The store is made if it is not there.
            """
    )

    @Argument(help: "The file to read.")
    var source: ArgumentText

    @Option(help: "What the file is, where its content and name don't say it.")
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
            throw TransferFormat.unknown(path)
        }
        if let kind = format.storeKind {
            return try StoreOpener(path: path, kind: kind, key: nil).openExisting(for: .reading)
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure.storage("\(path) is not UTF-8, and JSON is.")
        }
        return try EntriesDocument.store(text, name: path)
    }
}
#endif
