#if Command
import ArgumentParser
import LarderCore

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the store's keys with their types and values.",
        discussion: """
            Entries are sorted by the bytes of their keys. In a terminal, long values are shortened. --format json prints an \
            array with one object per entry, which contains the key and the value with types at every depth.
            """
    )

    @Option(help: "The output format: 'table' for people or 'json' for programs.")
    var format: OutputFormat = .table

    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let entries = try store.opener.openExisting(for: .reading).entries(prefix: keys.keyPrefix)
        switch format {
        case .json:
            let objects = entries.map { entry in
                JSONWriter.object([("key", JSONWriter.string(entry.key)), ("value", JSONWriter.typed(entry.value))])
            }
            try console.print(objects.isEmpty ? "[]" : "[\n  " + objects.joined(separator: ",\n  ") + "\n]")
        case .table:
            var table = Table("KEY", "TYPE", "VALUE")
            for entry in entries {
                table.add(entry.key.inOneLine, entry.value.kind.rawValue, ValueText.text(entry.value).inOneLine)
            }
            for line in table.lines(lastColumnLimit: console.isTerminal ? 60 : nil) { try console.print(line) }
        }
    }
}
#endif
