#if Inspector
/// A namespace for masking the members of a JSON text whose names look like those of secrets.
///
/// The text need not be complete, and is not parsed: only strings and brackets are recognized.
enum MaskedJSON {
    private static let mask = Array(#""(masked)""#.utf8)

    /// Returns a text with such members masked, or `nil` if it contains none.
    static func text(_ text: String) -> String? {
        var text = text
        return text.withUTF8(masked).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns bytes with such members masked, or `nil` if they contain none.
    static func bytes(_ bytes: [UInt8]) -> [UInt8]? { bytes.withUnsafeBufferPointer(masked) }

    private static func masked(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var index = skipSpace(text, 0)
        guard index < text.count, text[index] == UInt8(ascii: "{") || text[index] == UInt8(ascii: "[") else {
            return nil
        }
        var result: [UInt8] = []
        // The bytes before this index are in the result.
        var copied = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let end = endOfString(text, index)
            let colon = skipSpace(text, end)
            guard colon < text.count, text[colon] == UInt8(ascii: ":"), isSecret(text, index + 1, end - 1) else {
                index = end
                continue
            }
            let value = skipSpace(text, colon + 1)
            index = endOfValue(text, value)
            guard index > value, !text[value..<index].elementsEqual("null".utf8) else { continue }
            result += text[copied..<value]
            result += mask
            copied = index
        }
        return copied == 0 ? nil : result + text[copied...]
    }

    private static func isSecret(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int, _ end: Int) -> Bool {
        begin < end && SecretName.isSecret(String(decoding: text[begin..<min(end, begin + 1_024)], as: UTF8.self))
    }

    private static func skipSpace(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int {
        var index = begin
        while index < text.count, isSpace(text[index]) { index += 1 }
        return index
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Returns the index after the string that begins with a quotation mark at `begin`.
    private static func endOfString(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int {
        var index = begin + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, text.count)
    }

    /// Returns the index after the value that begins at `begin`.
    private static func endOfValue(_ text: UnsafeBufferPointer<UInt8>, _ begin: Int) -> Int {
        var index = begin
        var depth = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index = endOfString(text, index)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The bracket of the object that contains the member ends a number.
                guard depth > 0 else { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","): if depth == 0 { return index }
            case let byte: if depth == 0, isSpace(byte) { return index }
            }
            index += 1
        }
        return index
    }
}
#endif
