import Foundation
import LarderCore
import Testing

/// Tests of reading damaged property lists.
///
/// For each format, a small property list is truncated at every byte, and each of its bits is flipped. Reading it must either report the
/// damage with an offset or return a valid value.
@Suite struct PropertyListCorruptionTests {
    private static let entries: StoredDictionary = [
        "a": 1, "b": [1, 2.5, "x", true], "é": .data(Data([1, 2, 3])), "d": ["k": "🙂🙂"], "u": .unsigned(.max),
        "date": .date(Date(timeIntervalSinceReferenceDate: 1_000)), "minus": -70_000, "real": .double(1e300),
        "long": .string(String(repeating: "q", count: 40)), "<&>": [[], [:]],
    ]

    private static func foundation(_ format: PropertyListSerialization.PropertyListFormat) throws -> [UInt8] {
        let list: [String: Any] = [
            "a": 1, "b": [1, 2.5, "x", true], "é": Data([1, 2, 3]), "d": ["k": "🙂🙂"],
            "date": Date(timeIntervalSinceReferenceDate: 1_000), "long": String(repeating: "q", count: 40),
        ]
        return [UInt8](try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }

    private static func archive() throws -> [UInt8] {
        let url = NSURL(string: "d", relativeTo: URL(string: "https://a.b/"))
        return [UInt8](try NSKeyedArchiver.archivedData(withRootObject: url as Any, requiringSecureCoding: false))
    }

    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var isArchive = false
        let bytes: @Sendable () throws -> [UInt8]
    }

    static let forms = [
        Form(testDescription: "XML") { PropertyListDocument.bytes(of: entries, as: .xml) },
        Form(testDescription: "binary") { PropertyListDocument.bytes(of: entries, as: .binary) },
        Form(testDescription: "Foundation's XML") { try foundation(.xml) },
        Form(testDescription: "Foundation's binary") { try foundation(.binary) },
        Form(testDescription: "archive", isArchive: true, bytes: archive),
    ]

    private func root(of bytes: [UInt8], _ form: Form) throws -> StoredValue {
        try PropertyListDocument.root(of: bytes, isArchive: form.isArchive)
    }

    @Test(arguments: forms) func truncatedPropertyListErrorHasOffsetInsideFile(form: Form) throws {
        let bytes = try form.bytes()
        let whole = try root(of: bytes, form)
        for length in 0..<bytes.count {
            do {
                let cut = try root(of: Array(bytes[..<length]), form)
                // XML does not need the line feed at its end.
                #expect(
                    cut == whole && length == bytes.count - 1 && bytes.last == UInt8(ascii: "\n"),
                    "\(length) bytes"
                )
            } catch let damage as DocumentDamage {
                #expect((0...length).contains(damage.offset), "\(length) bytes")
            }
        }
    }

    @Test(arguments: forms) func bitFlippedPropertyListIsRejectedOrReadAsValidValue(form: Form) throws {
        let whole = try form.bytes()
        let original = try root(of: whole, form)
        for bit in 0..<(whole.count * 8) {
            var bytes = whole
            bytes[bit / 8] ^= 1 << (bit % 8)
            do {
                let value = try root(of: bytes, form)
                // Any value that was read can be written again.
                let again = PropertyListDocument.bytes(ofRoot: value, as: .binary)
                #expect(try PropertyListDocument.root(of: again) == value, "bit \(bit)")
                guard !form.isArchive else { continue }
                if let second = try? PropertyListDecoder().decode(FoundationValue.self, from: Data(bytes)) {
                    #expect(second.value.asBothReadIt == value.asBothReadIt, "bit \(bit)")
                } else if PropertyListDocument.encoding(of: whole) == .binary {
                    #expect(value == original, "bit \(bit)")
                }
            } catch let damage as DocumentDamage {
                #expect((0...bytes.count).contains(damage.offset), "bit \(bit)")
            }
        }
    }

    @Test func objectReferenceIsReadAsDictionaryOnlyInArchives() throws {
        func list(_ reference: [UInt8]) -> [UInt8] {
            let table = UInt8(10 + reference.count)
            return Array("bplist00".utf8) + [0xA1, 1] + reference + [8, 10] + [0, 0, 0, 0, 0, 0, 1, 1]
                + [UInt8](repeating: 0, count: 7) + [2] + [UInt8](repeating: 0, count: 8)
                + [UInt8](repeating: 0, count: 7) + [table]
        }
        let sizes: [([UInt8], Int64)] = [([0x80, 7], 7), ([0x81, 1, 0], 256), ([0x87, 0, 0, 0, 0, 0, 0, 0, 9], 9)]
        for (reference, number) in sizes {
            #expect(
                try PropertyListDocument.root(of: list(reference), isArchive: true) == [["CF$UID": .int(number)]]
            )
            #expect(throws: DocumentDamage.self) { try PropertyListDocument.root(of: list(reference)) }
        }
        // Nine bytes are not a valid object number; the first byte must not be ignored.
        for reference in [[0x88, 1, 0, 0, 0, 0, 0, 0, 0, 9], [0x87, 0x80, 0, 0, 0, 0, 0, 0, 9], [0x83, 1]] {
            #expect(throws: DocumentDamage.self) {
                try PropertyListDocument.root(of: list(reference.map { UInt8($0) }), isArchive: true)
            }
        }
    }

    @Test func exponentiallyExpandingArchiveIsRejected() throws {
        // Each of sixteen lists contains the next one eight times.
        let objects: [[UInt8]] = (1...16).map { [0xA8] + [UInt8](repeating: UInt8($0), count: 8) } + [[0xA0]]
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let end = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(offsets.count), 0, end] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
        for isArchive in [false, true] {
            #expect(throws: DocumentDamage.self) { try PropertyListDocument.root(of: bytes, isArchive: isArchive) }
        }
    }

    @Test(arguments: [true, false]) func utf16XMLPropertyListIsReadLikeUTF8(isBigEndian: Bool) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<plist version=\"1.0\"><dict><key>é</key><true/></dict></plist>"
        let units = ([0xFEFF] + Array(text.utf16)).map { isBigEndian ? $0.bigEndian : $0.littleEndian }
        let bytes = units.flatMap { unit in withUnsafeBytes(of: unit) { [UInt8]($0) } }
        #expect(throws: StoreError.self) { try PropertyListDocument.root(of: bytes) }
        #expect(try PropertyListDocument.root(of: XMLEncoding.inUTF8(bytes)) == ["é": true])
        #expect(XMLEncoding.inUTF8(Array(bytes.dropLast())) == Array(bytes.dropLast()))
        #expect(XMLEncoding.inUTF8(Array(text.utf8)) == Array(text.utf8))
    }
}

/// A value that Foundation's decoder has read, for comparison with the result of Larder's reader.
private struct FoundationValue: Decodable {
    let value: StoredValue

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            value = .dictionary(
                StoredDictionary(
                    try container.allKeys.map { ($0.stringValue, try container.decode(Self.self, forKey: $0).value) }
                )
            )
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [StoredValue] = []
            while !container.isAtEnd { elements.append(try container.decode(Self.self).value) }
            value = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let number = try? container.decode(Int64.self) {
            value = .int(number)
        } else if let number = try? container.decode(UInt64.self) {
            value = .unsigned(number)
        } else if let date = try? container.decode(Date.self) {
            value = .date(date)
        } else if let data = try? container.decode(Data.self) {
            value = .data(data)
        } else if let number = try? container.decode(Double.self) {
            value = .double(number)
        } else {
            value = .string(try container.decode(String.self))
        }
    }
}

extension StoredValue {
    /// This value without the details on which Larder's reader and Foundation's reader differ.
    ///
    /// These details are the width of numbers, and dates in years for which calendars differ.
    fileprivate var asBothReadIt: StoredValue {
        switch self {
        case .float(let number): StoredValue.double(Double(number)).asBothReadIt
        case .double(let number): Int64(exactly: number).map(StoredValue.int) ?? self
        case .date(let date) where date.timeIntervalSinceReferenceDate < -12_622_780_800: .null
        case .array(let elements): .array(elements.map(\.asBothReadIt))
        case .dictionary(let entries): .dictionary(StoredDictionary(entries.map { ($0.key, $0.value.asBothReadIt) }))
        default: self
        }
    }
}
