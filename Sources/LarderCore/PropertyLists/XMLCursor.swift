/// A position in the bytes of an XML document, from which a parser reads.
package struct XMLCursor {
    package let bytes: [UInt8]
    package private(set) var position = 0

    package init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    package var isAtEnd: Bool { position == bytes.count }

    /// Returns the byte `distance` bytes after the current position, or `nil` if the document ends before that byte.
    package func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// Returns the byte at the current position and advances past it, or returns `nil` at the end.
    package mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Advances past `text` and returns `true` if the remaining bytes begin with `text`, or returns `false` otherwise.
    package mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Advances past the next occurrence of `text` and returns `true`, or advances to the end and returns `false` if there is none.
    package mutating func pass(_ text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            position += 1
        }
        return false
    }

    /// Advances to the end of the document.
    package mutating func passAll() { position = bytes.count }

    package mutating func skipByteOrderMark() { _ = skip("\u{FEFF}") }

    package mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD { position += 1 }
    }

    /// Advances past white space, comments and processing instructions.
    package mutating func skipBetweenElements() throws {
        while true {
            skipSpace()
            let offset = position
            if skip("<!--") {
                guard pass("-->") else { throw damage("a comment is not terminated", at: offset) }
            } else if skip("<?") {
                guard pass("?>") else { throw damage("a processing instruction is not terminated", at: offset) }
            } else {
                return
            }
        }
    }

    /// Reads and returns a name that consists of ASCII letters and hyphens.
    ///
    /// Returns an empty string if there is no name at the current position.
    package mutating func name() -> String {
        let start = position
        while let byte = peek(), Self.isASCIILetter(byte) || byte == UInt8(ascii: "-") {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads an entity reference and returns the name between `&` and `;`, or `nil` if the reference is malformed.
    ///
    /// A name has at most 10 characters.
    package mutating func entityName() -> String? {
        guard skip("&") else { return nil }
        var name = ""
        while let byte = peek(), byte == UInt8(ascii: "#") || Self.isASCIIAlphanumeric(byte), name.utf8.count < 10 {
            name.unicodeScalars.append(Unicode.Scalar(byte))
            position += 1
        }
        return skip(";") ? name : nil
    }

    /// Returns the code point of an entity, or `nil` if the entity is unknown.
    ///
    /// The code point of a numeric character reference is not validated.
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
