extension StoredValue: CustomStringConvertible {
    /// A readable form of the value on one line, as it appears in listings, messages and the inspector.
    ///
    /// | Kind | Looks like |
    /// |---|---|
    /// | bool, null | `true`, `null` |
    /// | int, unsigned | `-42` |
    /// | float, double | the shortest string that parses back to the same number: `0.1`, `3`, `1e+20`, `nan`, `-inf`, `-0` |
    /// | string | `"a \"quoted\" line\n"`, with invisible characters escaped |
    /// | url | `<https://example.org/>` |
    /// | date | `2001-01-02T10:17:36.789Z`, with its exact fraction; outside the years 0 to 9999 `@1e+20`, the seconds since 2001 |
    /// | data | `0x00ff`; data of more than 32 bytes is truncated to the first 32: `0x…(1000 bytes)` |
    /// | array, dictionary | `[1, "x"]`, `["a": 1]` sorted by key, `[:]`; deeper than ``maximumDepth`` levels, `…` |
    ///
    /// The format is stable between launches, machines and versions of Larder. Values of different kinds may print identically (see
    /// ``kind-swift.property``), and the string is not meant to be parsed. To read a value back, use ``encoded()`` or `Codable`.
    public var description: String {
        var text = ""
        describe(into: &text, depth: Self.maximumDepth)
        return text
    }

    private func describe(into text: inout String, depth: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let truth): text += truth ? "true" : "false"
        case .int(let number): text += String(number)
        case .unsigned(let number): text += String(number)
        case .float(let number): text += number.shortestText
        case .double(let number): text += number.shortestText
        case .string(let string):
            text += "\""
            string.escape(into: &text, delimiter: "\"")
            text += "\""
        case .url(let string):
            text += "<"
            string.escape(into: &text, delimiter: ">")
            text += ">"
        case .date(let date): text += date.exactText
        case .data(let data):
            text += "0x"
            for byte in data.prefix(32) { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            if data.count > 32 { text += "…(\(data.count) bytes)" }
        case .array(let elements):
            guard depth > 0 else { return text += "…" }
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                element.describe(into: &text, depth: depth - 1)
            }
            text += "]"
        case .dictionary(let entries):
            guard depth > 0 else { return text += "…" }
            text += entries.isEmpty ? "[:" : "["
            for (index, entry) in entries.enumerated() {
                text += index > 0 ? ", \"" : "\""
                entry.key.escape(into: &text, delimiter: "\"")
                text += "\": "
                entry.value.describe(into: &text, depth: depth - 1)
            }
            text += "]"
        }
    }
}

extension String {
    /// Appends this string to `text`, with `delimiter`, backslashes and invisible characters escaped as in Swift source.
    fileprivate func escape(into text: inout String, delimiter: Unicode.Scalar) {
        for (index, scalar) in unicodeScalars.enumerated() {
            switch scalar {
            case delimiter, "\\":
                text += "\\"
                text.unicodeScalars.append(scalar)
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if scalar.isInvisible || (index == 0 && scalar.properties.isGraphemeExtend) {
                    text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is invisible, such as a control or format character.
    ///
    /// The value is `false` for the zero-width joiner, which emoji sequences contain.
    fileprivate var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: self != "\u{200D}"
        default: false
        }
    }
}
