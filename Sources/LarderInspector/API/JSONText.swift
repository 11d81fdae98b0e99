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
        var text = String(text)
        text.withUTF8 { text in
            // The bytes from `begin` need no escape.
            var begin = 0
            var index = 0
            while index < text.count {
                let length = Self.isPlain[Int(text[index])] ? 1 : escapeIfNeeded(text, index, &begin)
                index += length
            }
            bytes += text[begin..<text.count]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// For each byte, whether it is an ASCII character that needs no escape.
    private static let isPlain: [Bool] = (0...255).map { byte in
        (0x20..<0x7F).contains(byte) && !#""\<>&"#.utf8.contains(UInt8(byte))
    }

    /// Writes the escape of the scalar at an index, if it needs one, after the bytes before it.
    ///
    /// - Returns: The length of the scalar in bytes.
    private mutating func escapeIfNeeded(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ begin: inout Int) -> Int {
        let first = text[index]
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        // Strings are always valid UTF-8.
        var value = length == 1 ? UInt32(first) : UInt32(first) & (0xFF >> UInt32(length + 1))
        for offset in 1..<max(1, length) { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
        guard let scalar = Unicode.Scalar(value), length == 1 || Self.isEscaped(scalar) else { return length }
        bytes += text[begin..<index]
        begin = index + length
        switch scalar {
        case "\"": bytes += #"\""#.utf8
        case "\\": bytes += #"\\"#.utf8
        case "\n": bytes += #"\n"#.utf8
        case "\r": bytes += #"\r"#.utf8
        case "\t": bytes += #"\t"#.utf8
        default: for unit in Character(scalar).utf16 { escape(unit) }
        }
        return length
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
