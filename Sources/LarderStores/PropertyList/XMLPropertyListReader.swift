import Foundation
import LarderCore

/// Reads an XML property list, stopping at the first byte that does not belong there.
///
/// It knows the XML that property lists are made of: UTF-8, elements with attributes that are passed over, comments,
/// processing instructions, a document type, CDATA, the five named entities and numeric ones.
struct XMLPropertyListReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The root of the document.
    mutating func root() throws -> StoredValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let tag = try beginRoot()
        let root = try value(of: tag, depth: 0)
        try skipBetweenElements()
        if tag.isInPropertyListElement {
            try expectEnd("plist")
            try skipBetweenElements()
        }
        guard position == bytes.count else { throw damage("something follows the end of the list") }
        return root
    }

    /// An opening tag.
    struct Tag {
        let name: String
        let offset: Int
        let isEmpty: Bool
        var isInPropertyListElement = false
    }

    /// Reads up to the tag of the root value.
    mutating func beginRoot() throws -> Tag {
        var tag = try openingTag()
        guard tag.name == "plist" else { return tag }
        guard !tag.isEmpty else { throw damage("the list is empty", at: tag.offset) }
        tag = try openingTag()
        tag.isInPropertyListElement = true
        return tag
    }

    /// The next entry of a dictionary whose opening tag has been read, or `nil` at its end, which is read too.
    mutating func nextEntry(depth: Int) throws -> (key: String, value: StoredValue, offset: Int)? {
        guard let tag = try openingTagOrEnd("dict") else { return nil }
        guard tag.name == "key" else { throw damage("<key> is missing in front of <\(tag.name)>", at: tag.offset) }
        let key = tag.isEmpty ? "" : try text(until: "key")
        let valueTag = try openingTag()
        return (key, try value(of: valueTag, depth: depth + 1), tag.offset)
    }

    mutating func value(of tag: Tag, depth: Int) throws -> StoredValue {
        guard depth <= PropertyListDocument.maximumDepth else {
            throw damage("it nests more than \(PropertyListDocument.maximumDepth) deep", at: tag.offset)
        }
        switch tag.name {
        case "true", "false":
            if !tag.isEmpty { try expectEnd(tag.name) }
            return .bool(tag.name == "true")
        case "dict":
            var pairs: [(String, StoredValue)] = []
            if !tag.isEmpty {
                while let entry = try nextEntry(depth: depth) { pairs.append((entry.key, entry.value)) }
            }
            let dictionary = StoredDictionary(pairs)
            guard dictionary.count == pairs.count else { throw damage("a dictionary has a key twice", at: tag.offset) }
            return .dictionary(dictionary)
        case "array":
            var elements: [StoredValue] = []
            if !tag.isEmpty {
                while let next = try openingTagOrEnd("array") { elements.append(try value(of: next, depth: depth + 1)) }
            }
            return .array(elements)
        default:
            let content = tag.isEmpty ? "" : try text(until: tag.name)
            guard let leaf = Self.leaf(tag.name, content) else {
                throw damage("<\(tag.name)> holds what it can't", at: tag.offset)
            }
            return leaf
        }
    }

    private static func leaf(_ name: String, _ content: String) -> StoredValue? {
        switch name {
        case "string": return .string(content)
        case "integer":
            let digits = content.trimmed
            return Int64(digits).map(StoredValue.int) ?? UInt64(digits).flatMap { StoredValue.integer($0) }
                ?? hexadecimal(digits)
        case "real":
            switch content.trimmed.lowercased() {
            case "+infinity", "infinity": return .double(.infinity)
            case "-infinity": return .double(-.infinity)
            case let digits: return Double(digits).map(StoredValue.double)
            }
        case "date": return PropertyListDate.date(of: content.trimmed).map(StoredValue.date)
        case "data":
            let digits = content.utf8.filter { ![0x20, 0x9, 0xA, 0xD].contains($0) }
            return Data(base64Encoded: Data(digits)).map(StoredValue.data)
        default: return nil
        }
    }

    private static func hexadecimal(_ digits: String) -> StoredValue? {
        guard digits.utf8.starts(with: "0x".utf8) else { return nil }
        return UInt64(digits.dropFirst(2), radix: 16).flatMap { StoredValue.integer($0) }
    }

    // MARK: - Tags

    private mutating func openingTag() throws -> Tag {
        guard let tag = try openingTagOrEnd(nil) else { throw damage("a value is missing") }
        return tag
    }

    /// An opening tag, or `nil` for the closing tag of `parent`, which is read.
    mutating func openingTagOrEnd(_ parent: String?) throws -> Tag? {
        try skipBetweenElements()
        let offset = position
        guard peek() == UInt8(ascii: "<") else {
            throw damage(position == bytes.count ? "the file ends too early" : "there is text between the elements")
        }
        if peek(1) == UInt8(ascii: "/") {
            guard let parent else { throw damage("a value is missing") }
            try expectEnd(parent)
            return nil
        }
        position += 1
        let name = self.name()
        guard !name.isEmpty else { throw damage("a tag has no name", at: offset) }
        while let byte = peek(), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") { position += 1 }
        guard peek() == UInt8(ascii: ">") else { throw damage("a tag does not end", at: offset) }
        let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
        position += 1
        return Tag(name: name, offset: offset, isEmpty: isEmpty)
    }

    private mutating func expectEnd(_ name: String) throws {
        try skipBetweenElements()
        let offset = position
        guard skip("</"), self.name() == name else { throw damage("</\(name)> is missing", at: offset) }
        skipSpace()
        guard skip(">") else { throw damage("</\(name)> does not end", at: offset) }
    }

    private mutating func name() -> String {
        let start = position
        while let byte = peek(), (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func skipBetweenElements() throws {
        while true {
            skipSpace()
            let offset = position
            if skip("<!--") {
                guard pass("-->") else { throw damage("a comment does not end", at: offset) }
            } else if skip("<?") {
                guard pass("?>") else { throw damage("a processing instruction does not end", at: offset) }
            } else if skip("<!DOCTYPE") {
                guard pass(">") else { throw damage("the document type does not end", at: offset) }
            } else {
                return
            }
        }
    }

    // MARK: - Text

    /// The text up to and including the closing tag `name`.
    private mutating func text(until name: String) throws -> String {
        let start = position
        var text: [UInt8] = []
        while let byte = peek() {
            if byte == UInt8(ascii: "&") {
                try text.append(contentsOf: entity().utf8)
            } else if skip("<![CDATA[") {
                let content = position
                guard pass("]]>") else { throw damage("CDATA does not end", at: content) }
                text.append(contentsOf: bytes[content..<(position - 3)])
            } else if skip("<!--") {
                guard pass("-->") else { throw damage("a comment does not end", at: start) }
            } else if byte == UInt8(ascii: "<") {
                try expectEnd(name)
                guard let decoded = String(validating: text, as: UTF8.self) else {
                    throw damage("<\(name)> holds bytes that are no UTF-8", at: start)
                }
                return decoded
            } else {
                text.append(byte)
                position += 1
            }
        }
        throw damage("the file ends inside <\(name)>", at: start)
    }

    private mutating func entity() throws -> String {
        let start = position
        var name = ""
        position += 1
        while let byte = peek(), byte != UInt8(ascii: ";"), name.utf8.count < 10 {
            name.unicodeScalars.append(Unicode.Scalar(byte))
            position += 1
        }
        guard skip(";") else { throw damage("an entity does not end", at: start) }
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst(1)) : nil
            guard let scalar = number.flatMap(Unicode.Scalar.init) else {
                throw damage("an entity is unknown", at: start)
            }
            return String(scalar)
        }
    }

    // MARK: - Bytes

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x9 || byte == 0xA || byte == 0xD { position += 1 }
    }

    /// Passes over `text` if it stands here.
    private mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position + length <= bytes.count else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Passes over everything up to and including `text`.
    private mutating func pass(_ text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            position += 1
        }
        return false
    }

    private func damage(_ reason: String, at offset: Int? = nil) -> PropertyListDamage {
        PropertyListDamage(reason: reason, offset: offset ?? position)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
