import Foundation
import LarderCore

/// A reader for Android's shared preferences files, whose format `Documentation/Formats/shared-preferences.md` describes.
struct SharedPreferencesReader {
    /// The readable entries of a document, and the problems that were found.
    struct Result {
        struct Entry: Equatable {
            let key: String
            let value: StoredValue
            /// Whether the entry is a `<long>` whose value would also fit in an `<int>`.
            let isLong: Bool
        }

        var entries: [Entry] = []
        var problems: [StoreVerification.Problem] = []
        /// The error that makes the whole document invalid, or `nil` if the document is valid.
        ///
        /// In an invalid document, entries can be missing without being listed in `problems`.
        var damage: DocumentDamage?
    }

    private var cursor: XMLCursor
    private var result = Result()

    /// Reads the entries of a document.
    ///
    /// If the document is invalid, returns the readable entries and the reason instead of throwing an error.
    static func read(_ bytes: [UInt8]) -> Result {
        var reader = SharedPreferencesReader(cursor: XMLCursor(bytes))
        do {
            try reader.readDocument()
        } catch let damage as DocumentDamage {
            reader.note(damage)
        } catch {
            reader.note(reader.cursor.damage("\(error)"))
        }
        return reader.result
    }

    private init(cursor: XMLCursor) { self.cursor = cursor }

    private mutating func note(_ damage: DocumentDamage) { result.damage = result.damage ?? damage }

    private mutating func readDocument() throws {
        cursor.skipByteOrderMark()
        try cursor.skipBetweenElements()
        let (root, isEmpty) = try cursor.openingTag()
        guard root.name == "map" else { throw cursor.damage("its root is <\(root.name)>, not <map>", at: root.offset) }
        if !isEmpty { try readEntries() }
        try cursor.skipBetweenElements()
        guard cursor.isAtEnd else { throw cursor.damage("there is content after </map>") }
    }

    private mutating func readEntries() throws {
        while true {
            try cursor.skipBetweenElements()
            if cursor.skip("</") {
                guard cursor.name() == "map" else { throw cursor.damage("</map> is missing") }
                cursor.skipSpace()
                guard cursor.skip(">") else { throw cursor.damage("</map> is not closed") }
                return
            }
            if cursor.isAtEnd { throw cursor.damage("the file is truncated") }
            if cursor.peek() != UInt8(ascii: "<") {
                problem("The file contains text between its entries.", at: cursor.position)
                while let byte = cursor.peek(), byte != UInt8(ascii: "<") { _ = cursor.next() }
                continue
            }
            let before = cursor
            do {
                read(try cursor.element(depth: 1))
            } catch let damage as DocumentDamage {
                note(damage)
                problem("An entry can't be read: \(damage.reason).", at: before.position)
                cursor = before
                guard passToNextLine() else { return cursor.passAll() }
            }
        }
    }

    /// Advances to the next line that begins with a tag, and returns `false` if there is no such line.
    private mutating func passToNextLine() -> Bool {
        _ = cursor.next()
        while cursor.pass("\n") {
            cursor.skipSpace()
            if cursor.peek() == UInt8(ascii: "<") { return true }
        }
        return false
    }

    private mutating func read(_ element: XMLElement) {
        // If the element has a defect, its name is unreliable, so the problem has no key.
        let name = element.defect == nil ? element.attributes["name"] : nil
        do throws(DocumentDamage) {
            let value = try SharedPreferencesElement.value(of: element)
            guard let name else { throw SharedPreferencesElement.problem(element, "it has no name") }
            guard let value else { return }
            var isLong = false
            if element.name == "long", case .int(let number) = value { isLong = Int32(exactly: number) != nil }
            result.entries.append(.init(key: name, value: value, isLong: isLong))
        } catch {
            problem(
                "An entry of type <\(element.name)> can't be read: \(error.reason).",
                key: name,
                at: error.offset
            )
        }
    }

    private mutating func problem(_ message: String, key: String? = nil, at offset: Int) {
        result.problems.append(.init(message, key: key, offset: offset))
    }
}

/// A namespace for functions that convert XML elements to values.
enum SharedPreferencesElement {
    static func problem(_ element: XMLElement, _ reason: String) -> DocumentDamage {
        DocumentDamage(reason: reason, offset: element.offset)
    }

    /// Returns the value that an element represents, or `nil` for `<null>`.
    static func value(of element: XMLElement) throws(DocumentDamage) -> StoredValue? {
        if let defect = element.defect { throw defect }
        guard element.name == "string" || element.name == "byte-array" || !element.hasText else {
            throw problem(element, "it contains text")
        }
        switch element.name {
        case "string":
            try requireNoChildren(element)
            return .string(element.text)
        case "int", "long", "float", "double", "boolean": return try scalar(element.name, in: element)
        case "set": return try set(element)
        case "null":
            try requireNoChildren(element)
            return nil
        case "list":
            return .array(try values(of: element))
        case "map":
            var pairs: [(String, StoredValue)] = []
            for child in element.children {
                guard let name = child.attributes["name"] else { throw problem(child, "an element in it has no name") }
                pairs.append((name, try value(of: child) ?? .null))
            }
            return .dictionary(StoredDictionary(pairs))
        case "byte-array": return try bytes(element)
        case "int-array", "long-array", "double-array", "boolean-array", "string-array":
            return try array(of: String(element.name.dropLast("-array".count)), in: element)
        default: throw problem(element, "its type is unknown")
        }
    }

    private static func values(of element: XMLElement) throws(DocumentDamage) -> [StoredValue] {
        var values: [StoredValue] = []
        for child in element.children { values.append(try value(of: child) ?? .null) }
        return values
    }

    private static func requireNoChildren(_ element: XMLElement) throws(DocumentDamage) {
        guard element.children.isEmpty else { throw problem(element, "it contains an element") }
    }

    private static func scalar(_ kind: String, in element: XMLElement) throws(DocumentDamage) -> StoredValue {
        try requireNoChildren(element)
        guard let text = element.attributes["value"] else { throw problem(element, "it has no value") }
        let value: StoredValue? =
            switch kind {
            case "int": Int32(text).map { .int(Int64($0)) }
            case "long": Int64(text).map { .int($0) }
            case "float": SharedPreferencesNumber.float(text).map { .float($0) }
            case "double": SharedPreferencesNumber.double(text).map { .double($0) }
            case "boolean": ["true": .bool(true), "false": .bool(false)][text.lowercased()]
            default: .string(text)
            }
        guard let value else {
            throw problem(element, "\(text.prefix(40).debugDescription) is not a valid value of this type")
        }
        return value
    }

    private static func set(_ element: XMLElement) throws(DocumentDamage) -> StoredValue {
        var members: [String] = []
        for member in try values(of: element) {
            guard case .string(let text) = member else { throw problem(element, "a member of the set is not a string") }
            members.append(text)
        }
        return SharedPreferencesForm.set(of: members)
    }

    private static func bytes(_ element: XMLElement) throws(DocumentDamage) -> StoredValue {
        try requireNoChildren(element)
        let digits = Array(element.text.utf8.filter { $0 > 0x20 })
        var data = Data()
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else {
                throw problem(element, "its text is not hexadecimal")
            }
            data.append(high << 4 | low)
        }
        guard digits.count == 2 * data.count, hasCount(data.count, element) else {
            throw problem(element, "the number of its bytes differs from the declared number")
        }
        return .data(data)
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }

    private static func array(of kind: String, in element: XMLElement) throws(DocumentDamage) -> StoredValue {
        var values: [StoredValue] = []
        for item in element.children {
            if let defect = item.defect { throw defect }
            guard item.name == "item", !item.hasText else { throw problem(item, "<item> is missing") }
            values.append(try scalar(kind, in: item))
        }
        guard hasCount(values.count, element) else {
            throw problem(element, "the number of its values differs from the declared number")
        }
        return .array(values)
    }

    private static func hasCount(_ count: Int, _ element: XMLElement) -> Bool {
        element.attributes["num"].map { Int($0) == count } ?? true
    }
}
