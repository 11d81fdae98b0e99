#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A view of a binary property list, with the object references that keyed archives are made of.
///
/// Objects are named by their number in its offset table and read one at a time. Every offset and count is checked before it is
/// used: no input makes it trap or allocate more than it holds. Whoever follows the references must see to an end.
package struct BinaryPropertyList: Sendable {
    /// One object; what containers hold is named by number.
    package enum Object: Sendable {
        case bool(Bool)
        case int(Int64)
        /// A number above `Int64.max`.
        case unsigned(UInt64)
        case float(Float)
        case double(Double)
        /// Seconds since the reference date.
        case date(Double)
        case data(Data)
        case text(String)
        /// A keyed archive's reference to one of its objects.
        case reference(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let offsetTable: Int
    /// The number of the object that holds all others.
    package let root: Int

    /// A view of `data`, or `nil` when it does not end as a binary property list does.
    package init?(_ data: Data) {
        bytes = [UInt8](data)
        guard bytes.count >= 40, bytes.starts(with: Array("bplist00".utf8)) else { return nil }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = Self.number(bytes, at: trailer + 8, size: 8),
            let root = Self.number(bytes, at: trailer + 16, size: 8),
            let table = Self.number(bytes, at: trailer + 24, size: 8),
            table <= trailer, count <= (trailer - table) / offsetSize, root < count
        else { return nil }
        (objectCount, offsetTable, self.root) = (count, table, root)
    }

    /// The object with a number, or `nil` when there is none or it is damaged.
    package func object(_ number: Int) -> Object? {
        guard number < objectCount,
            var position = Self.number(bytes, at: offsetTable + number * offsetSize, size: offsetSize),
            position < offsetTable
        else { return nil }
        let marker = bytes[position]
        var count = Int(marker & 0x0F)
        position += 1
        switch marker >> 4 {
        case 0x0: return marker == 0x08 ? .bool(false) : marker == 0x09 ? .bool(true) : nil
        case 0x1: return integer(at: position, power: count)
        case 0x2 where count == 2: return bits(at: position, size: 4).map { .float(Float(bitPattern: UInt32($0))) }
        case 0x2 where count == 3: return bits(at: position, size: 8).map { .double(Double(bitPattern: $0)) }
        case 0x3 where count == 3: return bits(at: position, size: 8).map { .date(Double(bitPattern: $0)) }
        case 0x8: return Self.number(bytes, at: position, size: count + 1).map(Object.reference)
        default: break
        }
        if count == 0x0F {
            // A count that does not fit the marker follows as an integer object.
            guard position < bytes.count, bytes[position] >> 4 == 0x1, bytes[position] & 0x0F <= 3 else { return nil }
            let size = 1 << Int(bytes[position] & 0x0F)
            guard let long = Self.number(bytes, at: position + 1, size: size) else { return nil }
            count = long
            position += 1 + size
        }
        switch marker >> 4 {
        case 0x4: return slice(at: position, count: count, of: 1).map { .data(Data($0)) }
        case 0x5:
            return slice(at: position, count: count, of: 1).flatMap { String(validating: $0, as: UTF8.self) }
                .map(Object.text)
        case 0x6:
            guard let slice = slice(at: position, count: count, of: 2) else { return nil }
            let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(validating: units, as: UTF16.self).map(Object.text)
        case 0xA: return references(at: position, count: count).map(Object.array)
        case 0xD:
            guard let both = references(at: position, count: count <= Int.max / 2 ? count * 2 : count) else {
                return nil
            }
            return .dictionary(keys: Array(both.prefix(count)), values: Array(both.dropFirst(count)))
        default: return nil
        }
    }

    /// One, two and four bytes are an unsigned number, eight a signed one, sixteen an unsigned one.
    private func integer(at position: Int, power: Int) -> Object? {
        switch power {
        case 0...3: return bits(at: position, size: 1 << power).map { .int(Int64(bitPattern: $0)) }
        case 4:
            guard bits(at: position, size: 8) == 0, let low = bits(at: position + 8, size: 8) else { return nil }
            return Int64(exactly: low).map(Object.int) ?? .unsigned(low)
        default: return nil
        }
    }

    private func bits(at position: Int, size: Int) -> UInt64? {
        slice(at: position, count: size, of: 1).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    private func references(at position: Int, count: Int) -> [Int]? {
        guard slice(at: position, count: count, of: referenceSize) != nil else { return nil }
        let references = (0..<count).compactMap {
            Self.number(bytes, at: position + $0 * referenceSize, size: referenceSize)
        }
        return references.count == count ? references : nil
    }

    private func slice(at position: Int, count: Int, of size: Int) -> ArraySlice<UInt8>? {
        guard position <= bytes.count, count <= (bytes.count - position) / size else { return nil }
        return bytes[position..<position + count * size]
    }

    /// A big-endian number that lies within `bytes` and fits `Int`.
    private static func number(_ bytes: [UInt8], at position: Int, size: Int) -> Int? {
        guard position >= 0, size <= bytes.count, position <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for byte in bytes[position..<position + size] {
            guard value >> 56 == 0 else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }
}

extension BinaryPropertyList {
    /// The text that an object is.
    package func text(_ object: Int?) -> String? {
        guard let object, case .text(let text) = self.object(object) else { return nil }
        return text
    }

    /// The object under a key of a dictionary.
    package func value(_ key: String, in object: Int) -> Int? {
        guard case .dictionary(let keys, let values) = self.object(object) else { return nil }
        return keys.firstIndex { text($0) == key }.map { values[$0] }
    }

    /// The element of an array that an archive's reference names.
    package func referenced(by reference: Int, in array: Int) -> Int? {
        guard case .reference(let index) = object(reference), case .array(let elements) = object(array),
            elements.indices.contains(index)
        else { return nil }
        return elements[index]
    }
}
