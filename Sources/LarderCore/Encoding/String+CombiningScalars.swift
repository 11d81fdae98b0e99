// Swift considers canonically equivalent strings equal, so sets and dictionaries of strings, such as those in PropertyListEncoder, keep
// only one of them. Escaping combining scalars keeps such strings distinct.
extension Unicode.Scalar {
    /// Whether this scalar is unchanged by normalization to NFC and does not combine with the preceding scalar.
    ///
    /// In Swift, two different strings of inert scalars are never equal. The check is conservative: the value is also `false` for a
    /// few safe scalars, mostly combining marks.
    var isInertInComposedText: Bool {
        // No scalar below U+0300 combines or is replaced.
        if value < 0x300 { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return false
        default: break
        }
        switch value {
        // Letters that combine with the preceding letter although they are not marks: Hangul vowels and finals, Kirat Rai AA.
        case 0x1161...0x1175, 0x11A8...0x11C2, 0x16D67: return false
        default: return !properties.isFullCompositionExclusion
        }
    }
}

extension String {
    /// A copy of this string in which backslashes are doubled and combining scalars are escaped, for example as `\u{301}`.
    var withCombiningScalarsEscaped: String {
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar == "\\" {
                escaped += "\\\\"
            } else if scalar.isInertInComposedText {
                escaped.unicodeScalars.append(scalar)
            } else {
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return escaped
    }

    /// Creates the original string from the result of ``withCombiningScalarsEscaped``.
    ///
    /// Returns `nil` if a backslash does not begin a valid escape sequence.
    init?(unescaping escaped: String) {
        self = ""
        var rest = Substring(escaped).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "\\": unicodeScalars.append(scalar)
            case "u":
                guard rest.popFirst() == "{", let end = rest.firstIndex(of: "}"),
                    let value = UInt32(String(rest[..<end]), radix: 16), let scalar = Unicode.Scalar(value)
                else { return nil }
                unicodeScalars.append(scalar)
                rest = rest[rest.index(after: end)...]
            default: return nil
            }
        }
    }
}
