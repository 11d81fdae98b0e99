#if Command
import ArgumentParser

/// Text on the command line that may be a negative number.
///
/// The parser takes `-5` for an option. No option of larder begins with a digit, so before parsing such an argument gets a
/// mark in front, which no argument can contain (U+0000), and this type takes it off again.
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
