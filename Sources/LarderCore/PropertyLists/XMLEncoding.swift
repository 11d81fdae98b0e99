/// A namespace for functions that detect the character encoding of an XML document from its first bytes.
package enum XMLEncoding {
    /// Checks that a document is encoded in UTF-8.
    ///
    /// A document in another encoding is not corrupt, so the error suggests a conversion.
    ///
    /// - Parameters:
    ///   - bytes: The complete XML document.
    ///   - advice: An imperative sentence without a period that says how to convert a document in another encoding.
    /// - Throws: ``StoreError`` with code `invalidConfiguration` if the document is in another encoding.
    package static func check(_ bytes: [UInt8], advice: String) throws {
        guard let name = foreignName(bytes) else { return }
        throw StoreError(
            .invalidConfiguration,
            "The XML file was not changed because its encoding, \(name), is not supported. \(advice)."
        )
    }

    /// Converts a UTF-16 document with a byte order mark to UTF-8, and returns other documents unchanged.
    ///
    /// Foundation accepts property lists in UTF-16, so existing files may have this encoding.
    package static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]), bytes.count.isMultiple(of: 2) else { return bytes }
        let units = stride(from: 2, to: bytes.count, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) } ?? bytes
    }

    /// Returns the name of a document's encoding, or `nil` if the document can be read as UTF-8.
    private static func foreignName(_ bytes: [UInt8]) -> String? {
        if let wide = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return wide.name }
        // An unknown name is more likely a corrupt "UTF-8" than another encoding.
        guard let declared = declaredName(bytes), families.contains(where: declared.lowercased().hasPrefix) else {
            return nil
        }
        return bytes.allSatisfy { $0 < 0x80 } ? nil : declared
    }

    /// The first bytes of documents in UTF-16 and UTF-32, with or without a byte order mark.
    ///
    /// Longer sequences come before their own prefixes.
    private static let beginnings: [(bytes: [UInt8], name: String)] = [
        ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"), ([0x3C, 0, 0, 0], "UTF-32"),
        ([0, 0, 0, 0x3C], "UTF-32"), ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
        ([0x3C, 0, 0x3F, 0], "UTF-16"), ([0, 0x3C, 0, 0x3F], "UTF-16"),
    ]

    /// The lowercase name prefixes of known ASCII-compatible encodings other than UTF-8.
    private static let families = [
        "iso-8859", "iso8859", "iso_8859", "iso-2022", "latin", "windows-", "cp12", "x-mac", "macintosh", "macroman",
        "koi8",
        "shift_jis", "euc-", "big5", "gb2312", "gbk", "gb18030",
    ]

    /// Returns the encoding name in the XML declaration, or `nil` if no encoding is declared.
    ///
    /// An XML declaration must be at the beginning of the document.
    private static func declaredName(_ bytes: [UInt8]) -> String? {
        var cursor = XMLCursor(bytes)
        cursor.skipByteOrderMark()
        guard cursor.skip("<?xml") else { return nil }
        let start = cursor.position
        guard cursor.pass("?>") else { return nil }
        let declaration = String(decoding: bytes[start..<cursor.position], as: UTF8.self)
        return declaration.firstMatch(of: /\sencoding\s*=\s*["']([^"']+)["']/).map { String($0.1) }
    }
}
