import LarderCore

/// An element of an XML document, with its attributes, text and child elements.
struct XMLElement {
    let name: String
    /// The offset of the element in the document, in bytes.
    let offset: Int
    private(set) var attributes: [String: String] = [:]
    private(set) var children: [XMLElement] = []
    /// The element's own text, without the text of its child elements.
    private(set) var text = ""
    /// The first defect in the element's text or attributes, or `nil` if there is none.
    private(set) var defect: DocumentDamage?

    var hasText: Bool { text.unicodeScalars.contains { ![" ", "\t", "\n", "\r"].contains($0) } }

    fileprivate mutating func add(_ child: XMLElement) { children.append(child) }

    fileprivate mutating func add(text added: XMLText) {
        text += added.text
        defect = defect ?? added.defect
    }

    fileprivate mutating func add(attribute: String, _ value: XMLText) {
        // If two attributes have the same name, the first one is used, as in Android's reader.
        if attributes[attribute] == nil { attributes[attribute] = value.text }
        defect = defect ?? value.defect
    }

    fileprivate init(_ name: String, at offset: Int) {
        self.name = name
        self.offset = offset
    }
}

/// Text or an attribute value from a document, with character references resolved.
private struct XMLText {
    var text = ""
    var defect: DocumentDamage?
}

extension XMLCursor {
    /// The maximum nesting depth of elements.
    static let maximumDepth = 64

    /// Reads the opening tag at the current position.
    ///
    /// The returned element has attributes, but no text or children.
    mutating func openingTag() throws -> (element: XMLElement, isEmpty: Bool) {
        let offset = position
        guard skip("<") else {
            throw damage(isAtEnd ? "the file is truncated" : "there is text where a tag should be")
        }
        let name = self.name()
        guard !name.isEmpty else { throw damage("a tag has no name", at: offset) }
        var element = XMLElement(name, at: offset)
        while true {
            skipSpace()
            if skip("/>") { return (element, true) }
            if skip(">") { return (element, false) }
            let attribute = self.name()
            skipSpace()
            guard !attribute.isEmpty, skip("=") else { throw damage("the tag <\(name)> is not closed", at: offset) }
            skipSpace()
            guard let quote = next(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw damage("an attribute of <\(name)> has no quotation marks", at: offset)
            }
            let value = attributeValue(until: quote)
            guard next() == quote else { throw damage("an attribute of <\(name)> is not closed", at: offset) }
            element.add(attribute: attribute, value)
        }
    }

    /// Reads the element at the current position, including its text and child elements.
    mutating func element(depth: Int) throws -> XMLElement {
        guard depth <= Self.maximumDepth else {
            throw damage("elements nest more than \(Self.maximumDepth) levels deep")
        }
        var (element, isEmpty) = try openingTag()
        while !isEmpty {
            if skip("</") {
                guard name() == element.name else { throw damage("</\(element.name)> is missing", at: position) }
                skipSpace()
                guard skip(">") else { throw damage("</\(element.name)> is not closed") }
                isEmpty = true
            } else if skip("<!--") {
                guard pass("-->") else { throw damage("a comment is not closed") }
            } else if skip("<![CDATA[") {
                let start = position
                guard pass("]]>") else { throw damage("CDATA is not closed", at: start) }
                element.add(text: Self.text(of: Self.unifyingLines(bytes[start..<(position - 3)]), at: start))
            } else if skip("<?") {
                guard pass("?>") else { throw damage("a processing instruction is not closed") }
            } else if peek() == UInt8(ascii: "<") {
                element.add(try self.element(depth: depth + 1))
            } else if isAtEnd {
                throw damage("the file ends inside <\(element.name)>", at: element.offset)
            } else {
                element.add(text: text(until: UInt8(ascii: "<"), isAttribute: false))
            }
        }
        return element
    }

    private mutating func attributeValue(until quote: UInt8) -> XMLText { text(until: quote, isAttribute: true) }

    /// Reads text up to `end`, the next tag or the end of the document, whichever comes first.
    private mutating func text(until end: UInt8, isAttribute: Bool) -> XMLText {
        let start = position
        var decoded: [UInt8] = []
        var defect: DocumentDamage?
        while let byte = peek(), byte != end, byte != UInt8(ascii: "<") {
            if byte == UInt8(ascii: "&") {
                let offset = position
                if let scalar = reference() {
                    decoded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                } else {
                    defect = defect ?? damage("a character reference is invalid", at: offset)
                }
                continue
            }
            _ = next()
            switch byte {
            case 0xD:
                _ = skip("\n")
                decoded.append(isAttribute ? 0x20 : 0xA)
            case 0xA where isAttribute: decoded.append(0x20)
            default: decoded.append(byte)
            }
        }
        var text = Self.text(of: decoded, at: start)
        text.defect = defect ?? text.defect
        return text
    }

    /// Reads a character reference, or two references that form a surrogate pair.
    ///
    /// - Returns: The character, or `nil` if the reference is invalid.
    private mutating func reference() -> Unicode.Scalar? {
        guard let number = entityName().flatMap(Self.number) else { return nil }
        guard (0xD800..<0xDC00).contains(number) else { return Unicode.Scalar(number) }
        var ahead = self
        guard let second = ahead.entityName().flatMap(Self.number), (0xDC00..<0xE000).contains(second) else {
            return nil
        }
        self = ahead
        return Unicode.Scalar(0x10000 + (number - 0xD800) << 10 + (second - 0xDC00))
    }

    private static func unifyingLines(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var unified: [UInt8] = []
        for (index, byte) in zip(bytes.indices, bytes) {
            let followsReturn = index > bytes.startIndex && bytes[index - 1] == 0xD
            if byte == 0xA, followsReturn { continue }
            unified.append(byte == 0xD ? 0xA : byte)
        }
        return unified
    }

    private static func text(of bytes: [UInt8], at offset: Int) -> XMLText {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return XMLText(defect: DocumentDamage(reason: "there are bytes that are not valid UTF-8", offset: offset))
        }
        return XMLText(text: text)
    }
}
