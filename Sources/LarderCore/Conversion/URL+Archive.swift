#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension URL {
    /// The URL in a keyed archive of an `NSURL`, which is how `UserDefaults.set(_: URL?, forKey:)` keeps one on Apple platforms.
    ///
    /// `PropertyListDecoder` cannot read an archive's object references and `NSKeyedUnarchiver` ends the process on some bytes,
    /// so this reads the few parts of a binary property list that matter here. Every offset and count is checked before it is
    /// used, and it follows a bounded number of references: no input makes it trap, loop or allocate more than it holds.
    init?(keyedArchive data: Data) {
        guard let list = BinaryPropertyList(data),
            list.text(list.value("$archiver", in: list.root)) == "NSKeyedArchiver",
            let objects = list.value("$objects", in: list.root),
            let top = list.value("$top", in: list.root),
            let root = list.value("root", in: top),
            let archived = list.referenced(by: root, in: objects),
            let url = URL(archived, in: list, objects: objects, bases: 2)
        else { return nil }
        self = url.absoluteURL
    }

    private init?(_ archived: Int, in list: BinaryPropertyList, objects: Int, bases: Int) {
        func part(_ key: String, of object: Int) -> Int? {
            list.value(key, in: object).flatMap { list.referenced(by: $0, in: objects) }
        }
        guard let type = part("$class", of: archived), list.text(list.value("$classname", in: type)) == "NSURL",
            let relative = list.text(part("NS.relative", of: archived)), let base = part("NS.base", of: archived)
        else { return nil }
        if list.text(base) == "$null" {
            self.init(string: relative)
        } else {
            guard bases > 0, let base = URL(base, in: list, objects: objects, bases: bases - 1) else { return nil }
            self.init(string: relative, relativeTo: base)
        }
    }
}

/// A view of a binary property list.
///
/// Objects are named by their number in its offset table.
private struct BinaryPropertyList {
    private enum Object {
        case text(String)
        case reference(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let offsetTable: Int
    let root: Int

    init?(_ data: Data) {
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

    /// The text that an object is.
    func text(_ object: Int?) -> String? {
        guard let object, case .text(let text) = self.object(object) else { return nil }
        return text
    }

    /// The object under a key of a dictionary.
    func value(_ key: String, in object: Int) -> Int? {
        guard case .dictionary(let keys, let values) = self.object(object) else { return nil }
        return keys.firstIndex { text($0) == key }.map { values[$0] }
    }

    /// The element of an array that an archive's reference names.
    func referenced(by reference: Int, in array: Int) -> Int? {
        guard case .reference(let index) = object(reference), case .array(let elements) = object(array),
            elements.indices.contains(index)
        else { return nil }
        return elements[index]
    }

    private func object(_ number: Int) -> Object? {
        guard number < objectCount,
            var position = Self.number(bytes, at: offsetTable + number * offsetSize, size: offsetSize),
            position < offsetTable
        else { return nil }
        let marker = bytes[position]
        var count = Int(marker & 0x0F)
        position += 1
        if marker >> 4 == 0x8 { return Self.number(bytes, at: position, size: count + 1).map(Object.reference) }
        if count == 0x0F {
            // A count that does not fit the marker follows as an integer object.
            guard position < bytes.count, bytes[position] >> 4 == 0x1, bytes[position] & 0x0F <= 3 else { return nil }
            let size = 1 << Int(bytes[position] & 0x0F)
            guard let long = Self.number(bytes, at: position + 1, size: size) else { return nil }
            count = long
            position += 1 + size
        }
        switch marker >> 4 {
        case 0x5:
            return slice(at: position, count: count, of: 1).map { .text(String(decoding: $0, as: UTF8.self)) }
        case 0x6:
            guard let slice = slice(at: position, count: count, of: 2) else { return nil }
            let units = stride(from: slice.startIndex, to: slice.endIndex, by: 2)
            return .text(
                String(decoding: units.map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }, as: UTF16.self)
            )
        case 0xA: return references(at: position, count: count).map(Object.array)
        case 0xD:
            guard let both = references(at: position, count: count <= Int.max / 2 ? count * 2 : count) else {
                return nil
            }
            return .dictionary(keys: Array(both.prefix(count)), values: Array(both.dropFirst(count)))
        default: return nil
        }
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
