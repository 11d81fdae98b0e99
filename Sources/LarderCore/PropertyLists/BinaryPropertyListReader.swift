#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reader for binary property lists that checks every offset, count and reference before use.
final class BinaryPropertyListReader {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootIndex: Int
    private let tableOffset: Int
    /// Whether to accept the object references of a keyed archive.
    private let isArchive: Bool
    /// The strings, data and archive references that have been read, keyed by object index.
    ///
    /// Each of these objects is read only once, so that a small file with many references to the same object can't exhaust the memory.
    private var leaves: [Int: StoredValue] = [:]
    /// The number of objects that may still be read.
    ///
    /// The limit bounds the work for small files whose containers refer to one another repeatedly.
    private var budget: Int

    init(_ bytes: [UInt8], isArchive: Bool) throws {
        self.bytes = bytes
        self.isArchive = isArchive
        let trailer = bytes.count - 32
        guard trailer >= 9, bytes.starts(with: Array("bplist0".utf8)) else {
            throw DocumentDamage(reason: "the binary property list ends too early", offset: bytes.count)
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        func number(at offset: Int) -> Int? { Int(exactly: Self.number(bytes[offset..<(offset + 8)])) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = number(at: trailer + 8), let root = number(at: trailer + 16),
            let table = number(at: trailer + 24),
            count > 0, root < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw DocumentDamage(reason: "the trailer of the binary property list is invalid", offset: trailer) }
        objectCount = count
        rootIndex = root
        tableOffset = table
        budget = isArchive ? bytes.count : 4_096 + bytes.count * 16
    }

    func root() throws -> StoredValue {
        try checkPlaces()
        return try object(rootIndex, depth: 0)
    }

    /// Checks that each byte before the offset table belongs to exactly one object or is padding.
    ///
    /// All known writers produce such files. Without this check, a corrupt offset into the middle of an object would yield a wrong value.
    private func checkPlaces() throws {
        var places = try (0..<objectCount).map { index in
            let start = try place(of: index)
            return start..<(try end(ofObjectAt: start))
        }
        places.sort { $0.lowerBound < $1.lowerBound }
        var covered = 8
        for place in places + [tableOffset..<tableOffset] {
            guard covered <= place.lowerBound, bytes[covered..<place.lowerBound].allSatisfy({ $0 == 0x0F }) else {
                throw damage("an offset does not point to the beginning of an object", at: place.lowerBound)
            }
            covered = place.upperBound
        }
    }

    /// Returns the byte offset of the object with the given index.
    private func place(of index: Int) throws -> Int {
        let entry = tableOffset + index * offsetSize
        let start = try number(at: entry, size: offsetSize)
        guard start >= 8, start < tableOffset else { throw damage("an object is outside the property list", at: entry) }
        return start
    }

    /// Returns the end offset of the object at `start`.
    ///
    /// An object of unknown type is assumed to consist of a single byte.
    private func end(ofObjectAt start: Int) throws -> Int {
        let low = Int(bytes[start] & 0xF)
        switch bytes[start] & 0xF0 {
        case 0x10, 0x20, 0x30: return start + 1 + (1 << min(low, 4))
        case 0x80: return start + 2 + low
        case 0x40, 0x50, 0x70: return try end(ofObjectAt: start, partSize: 1)
        case 0x60: return try end(ofObjectAt: start, partSize: 2)
        case 0xA0, 0xB0, 0xC0: return try end(ofObjectAt: start, partSize: referenceSize)
        case 0xD0: return try end(ofObjectAt: start, partSize: 2 * referenceSize)
        default: return start + 1
        }
    }

    private func end(ofObjectAt start: Int, partSize: Int) throws -> Int {
        let (count, first) = try self.count(at: start)
        let end = first + count * partSize
        guard end <= tableOffset else { throw damage("an object is truncated", at: start) }
        return end
    }

    private func object(_ index: Int, depth: Int) throws -> StoredValue {
        let entry = tableOffset + index * offsetSize
        guard index < objectCount else { throw damage("an object is missing", at: tableOffset) }
        if let leaf = leaves[index] { return leaf }
        budget -= 1
        guard depth <= PropertyListDocument.maximumDepth, budget > 0 else {
            let limit = PropertyListDocument.maximumDepth
            throw damage("it is nested more than \(limit) levels deep, or contains itself", at: entry)
        }
        let start = try place(of: index)
        switch bytes[start] {
        case 0x08: return false
        case 0x09: return true
        case 0x10...0x14: return try integer(at: start)
        case 0x22: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: start + 1, size: 4))))
        case 0x23: return .double(Double(bitPattern: try bits(at: start + 1, size: 8)))
        case 0x33:
            return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try bits(at: start + 1, size: 8))))
        case 0x40...0x4F, 0x50...0x5F, 0x60...0x6F, 0x70...0x7F:
            let leaf = try self.leaf(at: start)
            leaves[index] = leaf
            return leaf
        case 0xA0...0xAF:
            let (count, first) = try self.count(at: start)
            return .array(
                try references(count, at: first).map { try object($0, depth: depth + 1) }
            )
        case 0xD0...0xDF:
            let (count, first) = try self.count(at: start)
            let keys = try references(count, at: first)
            let values = try references(count, at: first + count * referenceSize)
            let pairs = try zip(keys, values).map { key, value in
                guard case .string(let text) = try object(key, depth: depth + 1) else {
                    throw damage("a key is not a string", at: start)
                }
                return (text, try object(value, depth: depth + 1))
            }
            let dictionary = StoredDictionary(pairs)
            guard dictionary.count == pairs.count else { throw damage("a dictionary has a duplicate key", at: start) }
            return .dictionary(dictionary)
        case 0x80...0x8F where isArchive:
            let reference = try self.reference(at: start)
            leaves[index] = reference
            return reference
        case 0x80...0x8F where namesAnArchiver: throw Self.keyedArchive
        case let marker:
            throw damage("an object of type 0x\(String(marker, radix: 16)) can't be stored", at: start)
        }
    }

    /// Whether the file contains the key "$archiver", which marks a keyed archive.
    ///
    /// An object reference in a property list without this key indicates corruption.
    private var namesAnArchiver: Bool { bytes.firstRange(of: "$archiver".utf8) != nil }

    private static let keyedArchive = StoreError(
        .invalidConfiguration,
        "The file is a keyed archive and was left unchanged, because its objects are not entries of a store. Unarchive it with NSKeyedUnarchiver, then store the resulting values."
    )

    private func reference(at start: Int) throws -> StoredValue {
        let size = Int(bytes[start] & 0xF) + 1
        guard size <= 8 else { throw damage("a reference is too large", at: start) }
        let number = StoredValue.int(Int64(try number(at: start + 1, size: size)))
        // An archive consists mostly of references, so this avoids sorting the only entry.
        return .dictionary(StoredDictionary(ascending: [.init(key: PropertyListDocument.referenceKey, value: number)]))
    }

    private func integer(at start: Int) throws -> StoredValue {
        let size = 1 << Int(bytes[start] & 0xF)
        if size == 16 {
            guard try bits(at: start + 1, size: 8) == 0,
                let number = StoredValue.integer(try bits(at: start + 9, size: 8))
            else { throw damage("a number does not fit in 64 bits", at: start) }
            return number
        }
        let bits = try bits(at: start + 1, size: size)
        return .int(Int64(bitPattern: bits))
    }

    private func leaf(at start: Int) throws -> StoredValue {
        let (count, first) = try self.count(at: start)
        let kind = bytes[start] & 0xF0
        let length = kind == 0x60 ? count * 2 : count
        guard length <= tableOffset - first else { throw damage("a string or data is truncated", at: start) }
        let content = bytes[first..<(first + length)]
        if kind == 0x40 { return .data(Data(content)) }
        let text: String?
        if kind == 0x60 {
            let units = stride(from: first, to: first + length, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            text = String(validating: units, as: UTF16.self)
        } else {
            text = String(validating: content, as: UTF8.self)
        }
        guard let text, kind != 0x50 || content.allSatisfy({ $0 < 0x80 }) else {
            throw damage("a string contains invalid bytes", at: start)
        }
        return .string(text)
    }

    /// Returns the number of elements, bytes or characters in the object at `start`, and the offset of the first.
    private func count(at start: Int) throws -> (count: Int, first: Int) {
        let short = Int(bytes[start] & 0xF)
        if short < 0xF { return (short, start + 1) }
        guard start + 1 < tableOffset, (0x10...0x13).contains(bytes[start + 1]) else {
            throw damage("a count is missing", at: start)
        }
        let size = 1 << Int(bytes[start + 1] & 0xF)
        let count = try number(at: start + 2, size: size)
        // An object has at most as many parts as the file has bytes, so the sums below cannot overflow.
        guard count <= bytes.count else { throw damage("a count is larger than the file", at: start) }
        return (count, start + 2 + size)
    }

    private func references(_ count: Int, at first: Int) throws -> [Int] {
        guard first + count * referenceSize <= tableOffset else {
            throw damage("a list of objects is truncated", at: first)
        }
        return try (0..<count).map { try number(at: first + $0 * referenceSize, size: referenceSize) }
    }

    private func number(at offset: Int, size: Int) throws -> Int {
        guard let number = Int(exactly: try bits(at: offset, size: size)) else {
            throw damage("a number is too large", at: offset)
        }
        return number
    }

    private func bits(at offset: Int, size: Int) throws -> UInt64 {
        guard offset >= 0, offset + size <= bytes.count else { throw damage("an object is truncated", at: offset) }
        return Self.number(bytes[offset..<(offset + size)])
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private func damage(_ reason: String, at offset: Int) -> DocumentDamage {
        DocumentDamage(reason: reason, offset: offset)
    }
}
