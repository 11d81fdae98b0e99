#if Command
import ArgumentParser
import Foundation
import LarderCore

struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Stores a value under a key.",
        discussion: """
            Write arrays, dictionaries and json as JSON, data as base64, and dates as 2026-11-21T09:30:00Z. If the value is -, \
            it is read from standard input. Data is read byte for byte, and other types are read as UTF-8 without the last line \
            break. When the command returns 0, the value is on disk.
            """
    )

    @Argument(help: "The key to store the value under.")
    var key: ArgumentText

    @Argument(help: "The value to store, or - to read it from standard input.")
    var value: ArgumentText

    @Option(help: "The type to store the value as.")
    var type: ValueType = .string

    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        // The value is read first, so that an invalid one does not create a store.
        let stored = try readValue()
        try store.opener.openOrCreate().set(stored, for: keys.key(key), durability: .synced)
    }

    private func readValue() throws -> StoredValue {
        guard value.text == "-" else { return try ValueReader.value(value.text, as: type) }
        let input = try Console.current.readInput()
        if type == .data { return .data(input) }
        guard var text = String(validating: input, as: UTF8.self) else {
            throw CommandFailure.usage("Standard input is not valid UTF-8. Use --type data to store binary data.")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        return try ValueReader.value(text, as: type)
    }
}
#endif
