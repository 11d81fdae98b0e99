import Foundation
import LarderCore
import LarderDeviceStorage

extension KeyedArchive.Part {
    /// The property list that an archive is, binary or XML.
    init(archive bytes: Data) throws {
        if bytes.starts(with: Array("bplist".utf8)) {
            guard let list = BinaryPropertyList(bytes) else { throw KeyedArchive.damaged("it ends too early") }
            var reader = BinaryPartReader(list: list, budget: bytes.count)
            self = try reader.part(list.root, depth: 0)
        } else {
            guard bytes.contains(UInt8(ascii: "<")) else { throw KeyedArchive.damaged("it is no property list") }
            do {
                self = try Self(try DeviceStorage.propertyList([UInt8](bytes)), depth: 0)
            } catch let error as CoreError.DataSerialization {
                throw error
            } catch {
                throw CoreError.DataSerialization("This keyed archive can't be read.", underlying: error)
            }
        }
    }

    /// A part of an XML archive, in which a reference is a dictionary with one key.
    private init(_ value: StoredValue, depth: Int) throws {
        guard depth <= KeyedArchive.maximumDepth else { throw KeyedArchive.nestedTooDeep }
        switch value {
        case .bool(let value): self = .bool(value)
        case .int(let number): self = .int(number)
        case .unsigned(let number): self = .unsigned(number)
        case .float(let number): self = .real(Double(number))
        case .double(let number): self = .real(number)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .data(let bytes): self = .data(bytes)
        case .string(let text), .url(let text): self = .text(text)
        case .array(let elements): self = .list(try elements.map { try Self($0, depth: depth + 1) })
        case .dictionary(let entries):
            if entries.count == 1, case .int(let number)? = entries["CF$UID"] {
                guard let number = UInt32(exactly: number) else { throw KeyedArchive.damaged("a reference is none") }
                self = .reference(Int(number))
                return
            }
            var parts: [String: Self] = [:]
            for entry in entries { parts[entry.key] = try Self(entry.value, depth: depth + 1) }
            guard parts.count == entries.count else { throw KeyedArchive.hasKeyTwice }
            self = .entries(parts)
        case .null: throw KeyedArchive.damaged("it holds nothing where something must be")
        }
    }
}

extension KeyedArchive {
    fileprivate static let nestedTooDeep = damaged("it nests more than \(maximumDepth) deep")
    fileprivate static let hasKeyTwice = damaged("an object has a key twice")
}

/// Reads a binary property list into parts.
private struct BinaryPartReader {
    let list: BinaryPropertyList
    /// How many more parts may be read.
    ///
    /// Every part that stands in one place has a byte of its own that refers to it. A list with more parts than bytes names its
    /// containers in many places, which archivers don't do, and which a hostile list does to fill the memory.
    var budget: Int
    /// Texts and bytes may be named in many places, and are kept once.
    var leaves: [Int: KeyedArchive.Part] = [:]

    mutating func part(_ number: Int, depth: Int) throws -> KeyedArchive.Part {
        budget -= 1
        guard depth <= KeyedArchive.maximumDepth, budget >= 0 else { throw KeyedArchive.nestedTooDeep }
        if let leaf = leaves[number] { return leaf }
        guard let object = list.object(number) else { throw KeyedArchive.damaged("object \(number) is damaged") }
        switch object {
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .unsigned(let value): return .unsigned(value)
        case .float(let value): return .real(Double(value))
        case .double(let value): return .real(value)
        case .date(let seconds): return .date(seconds)
        case .reference(let number): return .reference(number)
        case .data(let bytes): return keep(.data(bytes), number)
        case .text(let text): return keep(.text(text), number)
        case .array(let elements): return .list(try elements.map { try part($0, depth: depth + 1) })
        case .dictionary(let keys, let values):
            var parts: [String: KeyedArchive.Part] = [:]
            for (key, value) in zip(keys, values) {
                guard case .text(let text) = try part(key, depth: depth + 1) else {
                    throw KeyedArchive.damaged("a key is no text")
                }
                parts[text] = try part(value, depth: depth + 1)
            }
            guard parts.count == keys.count else { throw KeyedArchive.hasKeyTwice }
            return .entries(parts)
        }
    }

    private mutating func keep(_ leaf: KeyedArchive.Part, _ number: Int) -> KeyedArchive.Part {
        leaves[number] = leaf
        return leaf
    }
}
