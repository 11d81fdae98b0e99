#if Command
import ArgumentParser
import LarderCore

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints the value under a key.",
        discussion: """
            With --as the value is read as another type by Larder's conversion table: the double 3.14 as int is 3, with a \
            warning on standard error. What does not convert is status 1. Data is printed as base64, arrays and \
            dictionaries as JSON.
            """
    )

    @Argument(help: "The key.")
    var key: ArgumentText

    @Option(name: .customLong("as"), help: "The type to read the value as; without it, the type it has.")
    var asType: ValueType?

    @OptionGroup var keys: KeyOptions
    @OptionGroup var store: StoreOptions

    func run() throws {
        let console = Console.current
        let key = keys.key(key)
        let store = try store.opener.openExisting(for: .reading)
        guard let value = try store.get(key) else { throw CoreError.NotFound(.absent, key: key.text) }
        guard let asType else { return try console.print(ValueText.text(value)) }
        guard let converted = ValueConversion.text(of: value, as: asType) else {
            throw CoreError.NotFound(.notConvertible(stored: value.kind, asked: asType.rawValue), key: key.text)
        }
        try console.print(converted.value)
        if converted.isLossy {
            console.complain(
                "The \(value.kind.rawValue) \(ValueText.text(value)) under \(key) lost part of its value when read as \(asType.rawValue)."
            )
        }
    }
}
#endif
