#if Objects
internal import Foundation

/// The JSON text of a row in `larder_save`, which Documentation/Formats/objects-v3.md describes.
enum SaveText {
    /// The maximum number of objects and links that one row lists.
    static let limit = 10_000
    /// The maximum size in bytes of the old values that one row has, unless it has the values of only one object.
    static let valueLimit = 1 << 20
    /// The kinds of changes, by the names of their old values.
    static let valueKinds = ["old": SavedChanges.Kind.updated, "kept": .deleted]

    /// Returns the texts of the rows for one save.
    static func write(_ changes: SavedChanges) -> [[UInt8]] {
        var changes = changes
        let values = changes.values
        changes.values = []
        var parts = changes.parts(of: limit)
        parts.add(values, inPartsOf: valueLimit)
        return parts.map(text)
    }

    /// Returns a name as a JSON string.
    static func quoted(_ name: String) -> String {
        var text = SaveTextWriter()
        text.quote(name)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func text(_ changes: SavedChanges) -> [UInt8] {
        var text = SaveTextWriter()
        text.open("{")
        switch changes.scope {
        case .objects:
            text.write(changes.objects, changes.values)
            text.write(changes.links)
        case .reset: text.member("all", "reset")
        case .migration(let from, let to):
            text.member("all", "migration")
            text.member("from", from)
            text.member("to", to)
        case .anything: text.member("all", "anything")
        }
        text.close("}")
        return text.bytes
    }
}

/// A writer of JSON that inserts the commas.
private struct SaveTextWriter {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// Opens an object or an array, as an element or as the value of the last key.
    mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        isFirst = true
    }

    mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        isFirst = false
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        isFirst = true
    }

    mutating func number(_ number: Int64) {
        separate()
        bytes.append(contentsOf: String(number).utf8)
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        quote(value)
        isFirst = false
    }

    mutating func member(_ name: String, _ value: Int) {
        key(name)
        number(Int64(value))
    }

    mutating func quote(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ("\\u00" + (byte < 16 ? "0" : "") + digits).utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func write(_ objects: [SavedChanges.Objects], _ values: [SavedChanges.Values]) {
        var values = Dictionary(grouping: values, by: \.entity)
        forEachRun(of: objects, by: \.entity) { text, entity, groups in
            text.key(entity)
            text.open("{")
            text.forEachRun(of: groups, by: \.kind) { text, kind, groups in
                text.key(kind.rawValue)
                let isNamed = groups.contains { $0.properties != nil }
                if isNamed { text.open("{") }
                for group in groups {
                    if isNamed { text.key((group.properties ?? []).joined(separator: ",")) }
                    text.write(group.ids)
                }
                if isNamed { text.close("}") }
            }
            if let values = values.removeValue(forKey: entity) { text.write(values) }
            text.close("}")
        }
        for (entity, values) in values.sorted(by: { $0.key < $1.key }) {
            key(entity)
            open("{")
            write(values)
            close("}")
        }
    }

    private mutating func write(_ values: [SavedChanges.Values]) {
        for (name, kind) in SaveText.valueKinds.sorted(by: { $0.key > $1.key }) {
            let groups = values.filter { $0.kind == kind }
            guard !groups.isEmpty else { continue }
            key(name)
            open("{")
            for group in groups {
                key(group.columns.joined(separator: ","))
                open("[")
                for row in group.rows {
                    open("[")
                    number(row.id)
                    for value in row.values { write(value) }
                    close("]")
                }
                close("]")
            }
            close("}")
        }
    }

    private mutating func write(_ value: ColumnValue) {
        switch value {
        case .null: word("null")
        case .integer(let integer): number(integer)
        // The description of a finite number has a point or an exponent.
        case .real(let real) where real.isFinite: word("\(real)")
        case .real(let real): object("real", "\(real)")
        case .text(let text):
            separate()
            quote(text)
        case .blob(let data): object("blob", data.base64EncodedString())
        }
    }

    private mutating func word(_ word: String) {
        separate()
        bytes.append(contentsOf: word.utf8)
    }

    private mutating func object(_ name: String, _ value: String) {
        open("{")
        member(name, value)
        close("}")
    }

    mutating func write(_ links: [SavedChanges.Links]) {
        forEachRun(of: links, by: \.joinTable) { text, joinTable, groups in
            text.key(joinTable)
            text.open("{")
            for group in groups {
                text.key(group.kind.rawValue)
                text.open("[")
                for pair in group.pairs { text.pair(pair.source, pair.target) }
                text.close("]")
            }
            text.close("}")
        }
    }

    private mutating func write(_ ids: [ClosedRange<Int64>]) {
        open("[")
        for range in ids {
            if range.count == 1 { number(range.lowerBound) } else { pair(range.lowerBound, range.upperBound) }
        }
        close("]")
    }

    private mutating func pair(_ first: Int64, _ second: Int64) {
        open("[")
        number(first)
        number(second)
        close("]")
    }

    /// Calls `body` with each run of elements that have the same key.
    private mutating func forEachRun<Element, Key: Equatable>(
        of elements: [Element],
        by key: (Element) -> Key,
        _ body: (inout SaveTextWriter, Key, [Element]) -> Void
    ) {
        var rest = elements[...]
        while let first = rest.first.map(key) {
            let run = rest.prefix { key($0) == first }
            body(&self, first, Array(run))
            rest = rest.dropFirst(run.count)
        }
    }
}
#endif
