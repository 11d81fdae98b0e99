#if Command
import ArgumentParser
import Foundation
import LarderCore

struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Keeps a value under a key.",
        discussion: """
            Arrays, dictionaries and json are given as JSON, data as base64, dates as 2026-11-21T09:30:00Z. The value - is \
            read from standard input: as it is for data, otherwise as UTF-8 without the line break at its end. When the \
            command returns 0 the value is on the disk.
            """
    )

    @Argument(help: "The key.")
    var key: ArgumentText

    @Argument(help: "The value; - reads it from standard input.")
    var value: ArgumentText

    @Option(help: "The type of the value.")
    var type: ValueType = .string

    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        // The value first: one that can't be read must not create a store.
        let stored = try readValue()
        try store.opener.openOrCreate().set(stored, for: keys.key(key), durability: .synced)
    }

    private func readValue() throws -> StoredValue {
        guard value.text == "-" else { return try ValueReader.value(value.text, as: type) }
        let input = try Console.current.readInput()
        if type == .data { return .data(input) }
        guard var text = String(validating: input, as: UTF8.self) else {
            throw CommandFailure.usage("Standard input is not UTF-8: put it with --type data.")
        }
        if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
        return try ValueReader.value(text, as: type)
    }
}
#endif
