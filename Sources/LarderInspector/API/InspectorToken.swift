#if Inspector
/// The secret that each request for data must contain.
struct InspectorToken: Sendable, Hashable {
    /// The 32 hexadecimal digits, in lower case.
    let digits: String

    /// Creates a token from the system's secure random generator.
    init() {
        var generator = SystemRandomNumberGenerator()
        digits = (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Creates a token that a program has chosen, or returns `nil` if the text is not 32 hexadecimal digits.
    init?(_ text: String) {
        guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        digits = text.lowercased()
    }

    /// Returns whether a text is this token, in a time that does not depend on the text except on its length.
    func matches(_ text: String) -> Bool {
        let (mine, other) = (Array(digits.utf8), Array(text.utf8))
        guard mine.count == other.count else { return false }
        var difference: UInt8 = 0
        for index in mine.indices { difference |= mine[index] ^ other[index] }
        return difference == 0
    }
}
#endif
