extension String {
    /// The string as it stands in an XML document, with a reference for each character that means something there.
    ///
    /// - Parameter mustEscape: Which bytes below 0x80 get a reference besides those of `&`, `<` and `>`.
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
