#if Command
import ArgumentParser
import LarderCore

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Prints the value stored under a key.",
        discussion: """
            --as converts the value to another type, as Larder's conversion table defines. For example, the double 3.14 \
            converts to the int 3, with a warning on standard error. If the value can't be converted, the exit status is \
            1. Data is printed as base64, and arrays and dictionaries are printed as JSON.
            """
    )

    @Argument(help: "The key of the value to print.")
    var key: ArgumentText

    @Option(name: .customLong("as"), help: "The type to convert the value to. By default, the value is not converted.")
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
                "Converting the \(value.kind.rawValue) \(ValueText.text(value)) under \(key) to \(asType.rawValue) lost information. Omit --as to print the exact value."
            )
        }
    }
}
#endif
