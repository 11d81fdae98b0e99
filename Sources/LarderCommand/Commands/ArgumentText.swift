#if Command
import ArgumentParser

/// A command-line argument that may be a negative number.
///
/// The parser would treat `-5` as an option, so larder prefixes negative numbers with U+0000, a character that no argument can contain.
/// This type removes the prefix.
struct ArgumentText: ExpressibleByArgument {
    let text: String

    init(argument: String) { text = Self.restored(argument) }

    private static let mark: Character = "\0"

    static func protected(_ argument: String) -> String {
        isNegativeNumber(argument) ? String(mark) + argument : argument
    }

    static func restored(_ text: String) -> String { text.filter { $0 != mark } }

    private static func isNegativeNumber(_ text: String) -> Bool {
        guard text.first == "-", let second = text.dropFirst().first else { return false }
        return second.isASCII && second.isNumber || second == "."
            || ["-inf", "-infinity", "-nan"].contains(text.lowercased())
    }
}
#endif
