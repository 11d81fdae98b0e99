#if Inspector
/// A JSON text that is written from the beginning to the end.
///
/// Besides control characters, the writer escapes what changes the meaning or the direction of text in HTML and in logs: `<`, `>` and `&`, the
/// line separators U+2028 and U+2029, and invisible format characters such as right-to-left marks.
struct JSONText: Sendable {
    /// The text in UTF-8.
    private(set) var bytes: [UInt8] = []
    /// Whether the next element of the innermost array or object follows another.
    private var needsComma = false

    init() {}

    // MARK: Structure

    mutating func object(_ content: (inout JSONText) throws -> Void) rethrows {
        try nested(UInt8(ascii: "{"), UInt8(ascii: "}"), content)
    }

    mutating func array(_ content: (inout JSONText) throws -> Void) rethrows {
        try nested(UInt8(ascii: "["), UInt8(ascii: "]"), content)
    }

    mutating func array<Element>(_ elements: some Sequence<Element>, _ write: (inout JSONText, Element) -> Void) {
        array { json in for element in elements { write(&json, element) } }
    }

    private mutating func nested(_ begin: UInt8, _ end: UInt8, _ content: (inout JSONText) throws -> Void) rethrows {
        separate()
        bytes.append(begin)
        needsComma = false
        try content(&self)
        bytes.append(end)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    /// Writes the name of a member, whose value must follow.
    mutating func name(_ name: String) {
        separate()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: some StringProtocol) {
        separate()
        quoted(text)
    }

    mutating func number(_ number: some BinaryInteger) { raw(String(number)) }

    /// Writes a number, or null if it is not finite.
    mutating func number(_ number: Double) { number.isFinite ? raw("\(number)") : null() }

    mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    mutating func null() { raw("null") }

    /// Writes text that is already JSON.
    mutating func raw(_ text: String) {
        separate()
        bytes += text.utf8
    }

    /// Writes another text as a value.
    mutating func raw(_ other: JSONText) {
        separate()
        bytes += other.bytes
    }

    // MARK: Members

    mutating func member(_ name: String, _ text: String?) {
        self.name(name)
        if let text { string(text) } else { null() }
    }

    mutating func member(_ name: String, _ number: Int?) {
        self.name(name)
        if let number { self.number(number) } else { null() }
    }

    mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: String, _ texts: [String]) {
        self.name(name)
        array(texts) { $0.string($1) }
    }

    // MARK: Strings

    private mutating func quoted(_ text: some StringProtocol) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += #"\""#.utf8
            case "\\": bytes += #"\\"#.utf8
            case "\n": bytes += #"\n"#.utf8
            case "\r": bytes += #"\r"#.utf8
            case "\t": bytes += #"\t"#.utf8
            case "<", ">", "&", "\u{7F}": escape(UInt16(scalar.value))
            default:
                if scalar.isASCII, scalar.value >= 0x20 {
                    bytes.append(UInt8(scalar.value))
                } else if Self.isEscaped(scalar) {
                    for unit in Character(scalar).utf16 { escape(unit) }
                } else {
                    bytes += UTF8.encode(scalar).map { Array($0) } ?? []
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes += #"\u"#.utf8
        bytes += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
        bytes += digits.utf8
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
#endif
