/// How the characters of an XML document are written, told from how it begins.
package enum XMLEncoding {
    /// Throws where the document is in another encoding than UTF-8, and may be as good as it was written.
    ///
    /// - Parameters:
    ///   - bytes: The document.
    ///   - advice: What to do, to stand behind a colon.
    /// - Throws: ``StoreError`` with code `invalidConfiguration`.
    package static func check(_ bytes: [UInt8], advice: String) throws {
        guard let name = foreignName(bytes) else { return }
        throw StoreError(
            .invalidConfiguration,
            "This is XML in \(name), which is not read here, so that it can't be told whether it is damaged; it was left as it is: \(advice)."
        )
    }

    /// Returns a document in UTF-16 with a byte order mark in UTF-8, and any other document as it is.
    ///
    /// Foundation reads such a property list, so a file that was given to it stays readable.
    package static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xFE, 0xFF])
        guard isBigEndian || bytes.starts(with: [0xFF, 0xFE]), bytes.count.isMultiple(of: 2) else { return bytes }
        let units = stride(from: 2, to: bytes.count, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) } ?? bytes
    }

    /// The name of the encoding, unless the bytes mean in UTF-8 what they mean in it.
    private static func foreignName(_ bytes: [UInt8]) -> String? {
        if let wide = beginnings.first(where: { bytes.starts(with: $0.bytes) }) { return wide.name }
        // A name that is none is more likely to be a damaged "UTF-8" than an encoding that nobody knows.
        guard let declared = declaredName(bytes), families.contains(where: declared.lowercased().hasPrefix) else {
            return nil
        }
        return bytes.allSatisfy { $0 < 0x80 } ? nil : declared
    }

    /// A byte order mark, or "<" or "<?" in wide characters; what begins like another one after it.
    private static let beginnings: [(bytes: [UInt8], name: String)] = [
        ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"), ([0x3C, 0, 0, 0], "UTF-32"),
        ([0, 0, 0, 0x3C], "UTF-32"), ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
        ([0x3C, 0, 0x3F, 0], "UTF-16"), ([0, 0x3C, 0, 0x3F], "UTF-16"),
    ]

    /// What the names of encodings begin with that write ASCII as it is, and more in their own way.
    private static let families = [
        "iso-8859", "iso8859", "iso_8859", "iso-2022", "latin", "windows-", "cp12", "x-mac", "macintosh", "macroman",
        "koi8",
        "shift_jis", "euc-", "big5", "gb2312", "gbk", "gb18030",
    ]

    /// What the XML declaration says, which is the first thing in a document that has one.
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
