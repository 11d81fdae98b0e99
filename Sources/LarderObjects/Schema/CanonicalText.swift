#if Objects
/// A fast JSON writer that produces the same bytes as `JSONEncoder` with sorted keys.
struct CanonicalText {
    private(set) var bytes: [UInt8] = []
    /// Whether the output is invalid JSON because a string contains a control character, which this writer can't escape.
    private(set) var isIncomplete = false

    /// Appends JSON syntax, such as braces, commas and keys.
    mutating func add(_ syntax: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: syntax.utf8Start, count: syntax.utf8CodeUnitCount))
    }

    mutating func write(_ flag: Bool) {
        if flag { add("true") } else { add("false") }
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { characters in
            let isPlain = characters.allSatisfy { byte in
                byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            }
            if isPlain { return bytes.append(contentsOf: characters) }
            for byte in characters {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                if byte < 0x20 { isIncomplete = true }
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the former names, if any, under the key `was`, which sorts after all other keys.
    mutating func writeFormerNames(_ names: [String]?) {
        guard let names else { return }
        add(",\"was\":")
        write(names) { $0.write($1) }
    }

    mutating func write<Element>(_ elements: [Element], _ body: (inout CanonicalText, Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            body(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}

extension SchemaDescription {
    /// Returns the schema description as JSON, or `nil` if a string must be encoded with `JSONEncoder`.
    ///
    /// The description must be canonical.
    func writtenText() -> [UInt8]? {
        var text = CanonicalText()
        text.add("{\"entities\":")
        text.write(entities) { text, entity in
            text.add("{\"columns\":")
            text.write(entity.columns) { text, column in column.write(&text) }
            text.add(",\"indexes\":")
            text.write(entity.indexes) { text, group in text.write(group) { $0.write($1) } }
            text.add(",\"name\":")
            text.write(entity.name)
            text.add(",\"relationships\":")
            text.write(entity.relationships) { text, relationship in relationship.write(&text) }
            text.add(",\"unique\":")
            text.write(entity.unique) { text, group in text.write(group) { $0.write($1) } }
            text.writeFormerNames(entity.was)
            text.add("}")
        }
        text.add("}")
        return text.isIncomplete ? nil : text.bytes
    }
}

extension SchemaDescription.Column {
    fileprivate func write(_ text: inout CanonicalText) {
        text.add("{")
        if let destination {
            text.add("\"destination\":")
            text.write(destination)
            text.add(",")
        }
        text.add("\"format\":")
        text.write(format)
        text.add(",\"isRequired\":")
        text.write(isRequired)
        text.add(",\"name\":")
        text.write(name)
        text.add(",\"type\":")
        text.write(type)
        text.writeFormerNames(was)
        text.add("}")
    }
}

extension SchemaDescription.Relationship {
    fileprivate func write(_ text: inout CanonicalText) {
        text.add("{\"cardinality\":")
        text.write(cardinality)
        if let deleteRule {
            text.add(",\"deleteRule\":")
            text.write(deleteRule)
        }
        text.add(",\"destination\":")
        text.write(destination)
        text.add(",\"inverse\":")
        text.write(inverse)
        text.add(",\"isOrdered\":")
        text.write(isOrdered)
        if let joinTable {
            text.add(",\"joinTable\":")
            text.write(joinTable)
        }
        text.add(",\"name\":")
        text.write(name)
        text.writeFormerNames(was)
        text.add("}")
    }
}
#endif
