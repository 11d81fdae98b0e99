import LarderCore

/// A strict parser for JSON (RFC 8259).
///
/// A number without a fraction or an exponent is read as an integer if it fits in 64 bits. All other numbers are read as doubles. Keys are
/// compared bytewise, and an object with duplicate keys is rejected.
struct JSONReader {
    struct Malformed: Error {
        let reason: String
        let offset: Int
    }

    /// The maximum nesting depth of a document.
    ///
    /// In the typed notation, each level of a stored value takes two levels. The remaining levels are for the list that
    /// encloses the entries.
    static let nestingLimit = 2 * StoredValue.maximumDepth + 8

    private let bytes: [UInt8]
    private var position = 0

    /// Parses a string as a JSON value.
    ///
    /// - Throws: ``Malformed`` with the byte offset of the first syntax error.
    static func value(_ text: String) throws -> StoredValue {
        var reader = JSONReader(bytes: Array(text.utf8))
        let value = try reader.readValue(depth: 0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else {
            throw reader.malformed("unexpected text after the value")
        }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func malformed(_ reason: String) -> Malformed { Malformed(reason: reason, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func readValue(depth: Int) throws -> StoredValue {
        guard depth <= Self.nestingLimit else {
            throw malformed("the nesting is deeper than \(Self.nestingLimit) levels")
        }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try readObject(depth: depth)
        case UInt8(ascii: "["): return try readArray(depth: depth)
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        default: return try readNumber()
        }
    }

    private mutating func readWord(_ word: String, _ value: StoredValue) throws -> StoredValue {
        guard bytes[position...].starts(with: word.utf8) else { throw malformed("expected true, false or null") }
        position += word.utf8.count
        return value
    }

    private mutating func readArray(depth: Int) throws -> StoredValue {
        position += 1
        var elements: [StoredValue] = []
        skipSpace()
        if take("]") { return .array([]) }
        repeat {
            elements.append(try readValue(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed("expected , or ]") }
        return .array(elements)
    }

    private mutating func readObject(depth: Int) throws -> StoredValue {
        position += 1
        var pairs: [(String, StoredValue)] = []
        skipSpace()
        if take("}") { return .dictionary([:]) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw malformed("expected a key in quotation marks") }
            let key = try readString()
            skipSpace()
            guard take(":") else { throw malformed("expected :") }
            pairs.append((key, try readValue(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed("expected , or }") }
        let dictionary = StoredDictionary(pairs)
        guard dictionary.count == pairs.count else { throw malformed("duplicate key in the object that ends") }
        return .dictionary(dictionary)
    }

    private mutating func readNumber() throws -> StoredValue {
        let start = position
        _ = take("-")
        let firstDigit = next
        let integerDigits = skipDigits()
        guard integerDigits > 0 else { throw malformed("expected a value") }
        guard firstDigit != UInt8(ascii: "0") || integerDigits == 1 else {
            throw malformed("a number must not begin with 0")
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard skipDigits() > 0 else { throw malformed("expected a digit") }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("-") { _ = take("+") }
            guard skipDigits() > 0 else { throw malformed("expected a digit") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, text != "-0" {
            if let number = Int64(text) { return .int(number) }
            if let number = UInt64(text) { return .unsigned(number) }
        }
        guard let number = Double(text), number.isFinite else { throw malformed("the number is out of range") }
        return .double(number)
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func readString() throws -> String {
        position += 1
        var content: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                content.append(contentsOf: try readEscape())
            case 0..<0x20: throw malformed("a string contains an unescaped control character")
            default:
                content.append(byte)
                position += 1
            }
        }
        throw malformed("a string has no closing quotation mark")
    }

    private mutating func readEscape() throws -> [UInt8] {
        guard let byte = next else { throw malformed("a string has no closing quotation mark") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = UInt32(try readHexadecimal())
            if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
                let low = UInt32(try readHexadecimal())
                guard (0xDC00..<0xE000).contains(low) else {
                    throw malformed("a string contains half of a surrogate pair")
                }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw malformed("a string contains half of a surrogate pair")
            }
            return Array(String(Character(scalar)).utf8)
        default: throw malformed("a string contains an unknown escape sequence")
        }
    }

    private mutating func readHexadecimal() throws -> UInt16 {
        guard position + 4 <= bytes.count,
            bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let code = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else { throw malformed("expected four hexadecimal digits after \\u") }
        position += 4
        return code
    }
}
