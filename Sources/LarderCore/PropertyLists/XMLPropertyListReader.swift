#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A strict reader for XML property lists that throws an error with the byte offset of invalid input.
///
/// The reader supports the subset of XML that property lists use: UTF-8, elements, comments, processing instructions, a document type,
/// CDATA, the five named entities, and numeric character references. The reader ignores attributes.
package struct XMLPropertyListReader {
    private var cursor: XMLCursor
    /// The offset of the next byte to read, in bytes from the start of the document.
    package var position: Int { cursor.position }

    package init(_ bytes: [UInt8], at position: Int = 0) { cursor = XMLCursor(bytes, at: position) }

    /// Parses the document and returns its root.
    mutating func root() throws -> StoredValue {
        cursor.skipByteOrderMark()
        let tag = try beginRoot()
        let root = try value(of: tag, depth: 0)
        try skipBetweenElements()
        if tag.isInPropertyListElement {
            try expectEnd("plist")
            try skipBetweenElements()
        }
        guard cursor.isAtEnd else { throw damage("there is content after the end of the property list") }
        return root
    }

    /// A parsed opening tag.
    package struct Tag {
        package let name: String
        let offset: Int
        package let isEmpty: Bool
        var isInPropertyListElement = false
    }

    /// Reads the beginning of the document up to and including the opening tag of the root value, and returns that tag.
    package mutating func beginRoot() throws -> Tag {
        var tag = try openingTag()
        guard tag.name == "plist" else { return tag }
        guard !tag.isEmpty else { throw damage("the property list is empty", at: tag.offset) }
        tag = try openingTag()
        tag.isInPropertyListElement = true
        return tag
    }

    /// Reads the next entry of a dictionary whose opening tag has been read.
    ///
    /// If the closing tag of the dictionary follows, reads that tag and returns `nil`.
    package mutating func nextEntry(depth: Int) throws -> (key: String, value: StoredValue, offset: Int)? {
        guard let tag = try openingTagOrEnd("dict") else { return nil }
        guard tag.name == "key" else { throw damage("<key> is missing in front of <\(tag.name)>", at: tag.offset) }
        let key = tag.isEmpty ? "" : try text(until: "key")
        let valueTag = try openingTag()
        return (key, try value(of: valueTag, depth: depth + 1), tag.offset)
    }

    mutating func value(of tag: Tag, depth: Int) throws -> StoredValue {
        guard depth <= PropertyListDocument.maximumDepth else {
            throw damage("it is nested more than \(PropertyListDocument.maximumDepth) levels deep", at: tag.offset)
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
            guard dictionary.count == pairs.count else {
                throw damage("a dictionary has a duplicate key", at: tag.offset)
            }
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
                throw damage("<\(tag.name)> has invalid content", at: tag.offset)
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

    /// Reads an opening tag, or reads the closing tag of `parent` and returns `nil`.
    mutating func openingTagOrEnd(_ parent: String?) throws -> Tag? {
        try skipBetweenElements()
        let offset = position
        guard cursor.peek() == UInt8(ascii: "<") else {
            throw damage(cursor.isAtEnd ? "the file ends too early" : "there is text between elements")
        }
        if cursor.peek(1) == UInt8(ascii: "/") {
            guard let parent else { throw damage("a value is missing") }
            try expectEnd(parent)
            return nil
        }
        _ = cursor.next()
        let name = cursor.name()
        guard !name.isEmpty else { throw damage("a tag has no name", at: offset) }
        while let byte = cursor.peek(), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") { _ = cursor.next() }
        guard cursor.peek() == UInt8(ascii: ">") else { throw damage("a tag is not terminated", at: offset) }
        let isEmpty = cursor.peek(-1) == UInt8(ascii: "/")
        _ = cursor.next()
        return Tag(name: name, offset: offset, isEmpty: isEmpty)
    }

    private mutating func expectEnd(_ name: String) throws {
        try skipBetweenElements()
        let offset = position
        guard cursor.skip("</"), cursor.name() == name else { throw damage("</\(name)> is missing", at: offset) }
        cursor.skipSpace()
        guard cursor.skip(">") else { throw damage("</\(name)> is not terminated", at: offset) }
    }

    private mutating func skipBetweenElements() throws {
        try cursor.skipBetweenElements()
        let offset = position
        while cursor.skip("<!DOCTYPE") {
            guard cursor.pass(">") else { throw damage("the document type is not terminated", at: offset) }
            try cursor.skipBetweenElements()
        }
    }

    // MARK: - Text

    /// Reads an element up to and including its closing tag, and returns its character data as a string.
    private mutating func text(until name: String) throws -> String {
        let start = position
        var text: [UInt8] = []
        while let byte = cursor.peek() {
            if byte == UInt8(ascii: "&") {
                try text.append(contentsOf: entity().utf8)
            } else if cursor.skip("<![CDATA[") {
                let content = position
                guard cursor.pass("]]>") else { throw damage("CDATA is not terminated", at: content) }
                text.append(contentsOf: cursor.bytes[content..<(position - 3)])
            } else if cursor.skip("<!--") {
                guard cursor.pass("-->") else { throw damage("a comment is not terminated", at: start) }
            } else if byte == UInt8(ascii: "<") {
                try expectEnd(name)
                guard let decoded = String(validating: text, as: UTF8.self) else {
                    throw damage("<\(name)> is not valid UTF-8", at: start)
                }
                return decoded
            } else {
                text.append(byte)
                _ = cursor.next()
            }
        }
        throw damage("the file ends inside <\(name)>", at: start)
    }

    private mutating func entity() throws -> String {
        let start = position
        guard let name = cursor.entityName() else { throw damage("an entity is not terminated", at: start) }
        guard let scalar = XMLCursor.number(ofEntity: name).flatMap(Unicode.Scalar.init) else {
            throw damage("an entity is unknown", at: start)
        }
        return String(scalar)
    }

    private func damage(_ reason: String, at offset: Int? = nil) -> DocumentDamage {
        cursor.damage(reason, at: offset)
    }
}

extension String {
    /// The string without leading and trailing white space.
    fileprivate var trimmed: String {
        let text = unicodeScalars.drop(while: \.properties.isWhitespace)
        guard let last = text.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(text[...last])
    }
}
