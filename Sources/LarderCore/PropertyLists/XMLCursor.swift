/// A place in the bytes of an XML document, and what every reader of one passes over.
package struct XMLCursor {
    package let bytes: [UInt8]
    package private(set) var position = 0

    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// The byte here, or some bytes further.
    package func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// The byte here, passed over.
    package mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Passes over `text` if it stands here.
    package mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Passes over everything up to and including `text`.
    package mutating func pass(_ text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            position += 1
        }
        return false
    }

    /// Passes over all that is left.
    package mutating func passAll() { position = bytes.count }

    package mutating func skipByteOrderMark() { _ = skip("\u{FEFF}") }

    package mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD { position += 1 }
    }

    /// Passes over white space, comments and processing instructions.
    package mutating func skipBetweenElements() throws {
        while true {
            skipSpace()
            let offset = position
            if skip("<!--") {
                guard pass("-->") else { throw damage("a comment does not end", at: offset) }
            } else if skip("<?") {
                guard pass("?>") else { throw damage("a processing instruction does not end", at: offset) }
            } else {
                return
            }
        }
    }

    /// A name of ASCII letters and hyphens, empty when none stands here.
    package mutating func name() -> String {
        let start = position
        while let byte = peek(), Self.isASCIILetter(byte) || byte == UInt8(ascii: "-") {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// What stands between `&` and `;`, both passed over; `nil` when that does not end soon.
    package mutating func entityName() -> String? {
        guard skip("&") else { return nil }
        var name = ""
        while let byte = peek(), byte == UInt8(ascii: "#") || Self.isASCIIAlphanumeric(byte), name.utf8.count < 10 {
            name.unicodeScalars.append(Unicode.Scalar(byte))
            position += 1
        }
        return skip(";") ? name : nil
    }

    /// What an entity stands for: the number of a character, not always of one there is.
    package static func number(ofEntity name: String) -> UInt32? {
        switch name {
        case "amp": 0x26
        case "lt": 0x3C
        case "gt": 0x3E
        case "quot": 0x22
        case "apos": 0x27
        default:
            if name.hasPrefix("#x") {
                UInt32(name.dropFirst(2), radix: 16)
            } else {
                name.hasPrefix("#") ? UInt32(name.dropFirst(1)) : nil
            }
        }
    }

    private static func isASCIILetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte)
    }

    private static func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
        isASCIILetter(byte) || (0x30...0x39).contains(byte)
    }

    package func damage(_ reason: String, at offset: Int? = nil) -> DocumentDamage {
        DocumentDamage(reason: reason, offset: offset ?? position)
    }
}
