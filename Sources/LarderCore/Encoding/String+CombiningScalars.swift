// Swift takes two texts for equal when Unicode does, and so does whoever keeps texts in a Swift set or dictionary, such as
// PropertyListEncoder. A text in which nothing combines has no such double; in any other, what combines is written as an escape.
extension Unicode.Scalar {
    /// Whether this scalar neither changes in Unicode's composed form (NFC) nor combines with the one before it.
    ///
    /// Two different texts of such scalars alone are never equal. False of a few scalars, mostly marks, that would be harmless.
    var isInertInComposedText: Bool {
        // Nothing below U+0300 combines or is replaced.
        if value < 0x300 { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return false
        default: break
        }
        switch value {
        // Letters that combine with the one before them without being marks: Hangul vowels and finals, Kirat Rai AA.
        case 0x1161...0x1175, 0x11A8...0x11C2, 0x16D67: return false
        default: return !properties.isFullCompositionExclusion
        }
    }
}

extension String {
    /// This text with backslashes doubled and what combines written as `\u{301}`.
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

    /// The text that ``withCombiningScalarsEscaped`` was made of, or `nil` when a backslash begins no escape.
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
