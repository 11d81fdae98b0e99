#if Objects
extension SaveText {
    /// The text of a row is not what the format describes.
    struct Malformed: Error {
        /// The offset of the first byte that can't be read.
        let offset: Int
    }

    /// Reads the text of a row.
    ///
    /// Old values and unknown keys are ignored, and an unknown value of `all` means that any object may have changed.
    ///
    /// - Throws: ``Malformed`` if the text is not valid, or lists more than ``limit`` objects and links.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>) throws -> SavedChanges {
        var reader = SaveTextReader(bytes)
        return try reader.changes()
    }

    /// Reads the text of a row, with its old values.
    ///
    /// - Throws: ``Malformed`` under the same conditions as ``read(_:)``, or if the old values are not valid.
    static func readWithValues(_ bytes: UnsafeBufferPointer<UInt8>) throws -> SavedChanges {
        var reader = SaveTextReader(bytes, readsValues: true)
        return try reader.changes()
    }
}

/// A reader of the JSON in `larder_save`.
struct SaveTextReader {
    /// The maximum depth of values that are skipped.
    private static let depth = 64
    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0
    /// The number of objects and links that the text may still list.
    private var left = SaveText.limit
    /// Whether old values are read instead of skipped.
    private let readsValues: Bool

    init(_ bytes: UnsafeBufferPointer<UInt8>, readsValues: Bool = false) {
        self.bytes = bytes
        self.readsValues = readsValues
    }

    mutating func changes() throws -> SavedChanges {
        var changes = SavedChanges()
        var all: String?
        var versions: [String: Int] = [:]
        try object { reader, name in
            switch (name, reader.next) {
            case ("all", UInt8(ascii: "\"")): all = try reader.string()
            case ("from", Self.digits?), ("to", Self.digits?):
                versions[name] = Int(clamping: try reader.integer())
            case (_, UInt8(ascii: "{")):
                // The names of entities contain no dots, and those of join tables do.
                if name.utf8.contains(UInt8(ascii: ".")) {
                    changes.links += try reader.links(name)
                } else {
                    try reader.entity(name, &changes)
                }
            default: try reader.skip()
            }
        }
        guard next == nil else { throw malformed }
        if let all {
            changes = SavedChanges()
            switch all {
            case "reset": changes.scope = .reset
            case "migration": changes.scope = .migration(from: versions["from"] ?? 0, to: versions["to"] ?? 0)
            default: changes.scope = .anything
            }
        }
        return changes
    }

    private mutating func entity(_ entity: String, _ changes: inout SavedChanges) throws {
        try object { reader, name in
            guard let kind = SavedChanges.Kind(rawValue: name) else {
                guard reader.readsValues, let kind = SaveText.valueKinds[name] else { return try reader.skip() }
                changes.values += try reader.values(entity, kind)
                return
            }
            func add(_ reader: inout SaveTextReader, _ properties: [String]? = nil) throws {
                changes.objects.append(
                    .init(entity: entity, kind: kind, properties: properties, ids: try reader.ids())
                )
            }
            guard kind == .updated, reader.next == UInt8(ascii: "{") else { return try add(&reader) }
            try reader.object { reader, names in
                try add(&reader, names.split(separator: ",").map(String.init))
            }
        }
    }

    private mutating func links(_ joinTable: String) throws -> [SavedChanges.Links] {
        var links: [SavedChanges.Links] = []
        try object { reader, name in
            guard let kind = SavedChanges.Kind(rawValue: name) else { return try reader.skip() }
            links.append(.init(joinTable: joinTable, kind: kind, pairs: try reader.pairs()))
        }
        return links
    }

    private mutating func ids() throws -> [ClosedRange<Int64>] {
        var ids: [ClosedRange<Int64>] = []
        try array { reader in
            guard reader.next == UInt8(ascii: "[") else {
                let id = try reader.integer()
                try reader.count(1)
                return ids.append(id...id)
            }
            let (first, last) = try reader.two()
            let (distance, overflow) = last.subtractingReportingOverflow(first)
            guard !overflow, distance >= 0, distance < SaveText.limit else { throw reader.malformed }
            try reader.count(Int(distance) + 1)
            ids.append(first...last)
        }
        return ids
    }

    private mutating func pairs() throws -> [LinkPair] {
        var pairs: [LinkPair] = []
        try array { reader in
            let (source, target) = try reader.two()
            try reader.count(1)
            pairs.append(LinkPair(source: source, target: target))
        }
        return pairs
    }

    private mutating func count(_ number: Int) throws {
        left -= number
        if left < 0 { throw malformed }
    }

    // MARK: JSON

    var malformed: SaveText.Malformed { SaveText.Malformed(offset: place) }

    /// The next byte that is not white space, or `nil` at the end.
    var next: UInt8? {
        mutating get {
            while place < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 }
            return place < bytes.count ? bytes[place] : nil
        }
    }

    private mutating func expect(_ character: Unicode.Scalar) throws {
        guard next == UInt8(ascii: character) else { throw malformed }
        place += 1
    }

    /// Skips a comma, or the bracket that ends a list.
    ///
    /// - Returns: `true` after a comma.
    private mutating func separator(orEnd bracket: Unicode.Scalar) throws -> Bool {
        if next == UInt8(ascii: ",") {
            place += 1
            return true
        }
        try expect(bracket)
        return false
    }

    /// Calls `member` after each key.
    ///
    /// The closure must read the value.
    mutating func object(_ member: (inout Self, String) throws -> Void) throws {
        try expect("{")
        if next == UInt8(ascii: "}") { return place += 1 }
        repeat {
            let key = try string()
            try expect(":")
            try member(&self, key)
        } while try separator(orEnd: "}")
    }

    /// Calls `element` before each element.
    ///
    /// The closure must read the element.
    mutating func array(_ element: (inout Self) throws -> Void) throws {
        try expect("[")
        if next == UInt8(ascii: "]") { return place += 1 }
        repeat { try element(&self) } while try separator(orEnd: "]")
    }

    private mutating func two() throws -> (Int64, Int64) {
        var numbers: [Int64] = []
        try array { reader in numbers.append(try reader.integer()) }
        guard numbers.count == 2 else { throw malformed }
        return (numbers[0], numbers[1])
    }

    mutating func integer() throws -> Int64 {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { place += 1 }
        var number: Int64 = 0
        let start = place
        while place < bytes.count, Self.digits.contains(bytes[place]) {
            let digit = bytes[place] - Self.digits.lowerBound
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(isNegative ? -Int64(digit) : Int64(digit))
            guard !overflow, !carry else { throw malformed }
            number = sum
            place += 1
        }
        guard place > start else { throw malformed }
        return number
    }

    mutating func string() throws -> String {
        try expect("\"")
        var content: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += try escape()
            default: content.append(byte)
            }
        }
        throw malformed
    }

    /// Reads the rest of an escape sequence.
    private mutating func escape() throws -> [UInt8] {
        guard place < bytes.count else { throw malformed }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var units = [try codeUnit()]
            // A character outside the basic plane is a pair of escape sequences.
            if UTF16.isLeadSurrogate(units[0]), place + 1 < bytes.count, bytes[place] == UInt8(ascii: "\\"),
                bytes[place + 1] == UInt8(ascii: "u")
            {
                place += 2
                units.append(try codeUnit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: throw malformed
        }
    }

    private mutating func codeUnit() throws -> UInt16 {
        guard place + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[place..<(place + 4)], as: UTF8.self), radix: 16)
        else { throw malformed }
        place += 4
        return unit
    }

    /// Skips a value.
    private mutating func skip(_ depth: Int = depth) throws {
        guard depth > 0 else { throw malformed }
        switch next {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try object { reader, _ in try reader.skip(depth - 1) }
        case UInt8(ascii: "["): try array { reader in try reader.skip(depth - 1) }
        case nil, UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): throw malformed
        default: _ = scalar()
        }
    }

    /// Reads a number, or one of the words true, false and null.
    mutating func scalar() -> String {
        let start = place
        while place < bytes.count, ![0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09].contains(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }
}
#endif
