extension String {
    /// Returns this string with the characters that are special in XML replaced by entity references.
    ///
    /// - Parameter mustEscape: A closure that returns whether a byte below 0x80 must be replaced in addition to `&`, `<` and `>`.
    /// - Returns: The escaped string.
    package func escapedForXML(_ mustEscape: (UInt8) -> Bool) -> String {
        func isSpecial(_ byte: UInt8) -> Bool { byte == 0x26 || byte == 0x3C || byte == 0x3E || mustEscape(byte) }
        guard utf8.contains(where: isSpecial) else { return self }
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where mustEscape(0x22): escaped += "&quot;"
            case _ where scalar.isASCII && isSpecial(UInt8(scalar.value)): escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
