import Foundation
import LarderCore

extension KeyedArchive.Part {
    /// The property list that an archive is, binary or XML.
    init(archive bytes: Data) throws {
        guard PropertyListDocument.encoding(of: bytes) == .binary || bytes.contains(UInt8(ascii: "<")) else {
            throw KeyedArchive.damaged("it is no property list")
        }
        let list: StoredValue
        do {
            list = try PropertyListDocument.root(of: [UInt8](bytes), isArchive: true)
        } catch let damage as DocumentDamage {
            throw KeyedArchive.damaged("\(damage)")
        } catch {
            throw CoreError.DataSerialization("This keyed archive can't be read.", underlying: error)
        }
        try self.init(list, depth: 0)
    }

    /// A part of an archive, in which a reference is a dictionary with one key.
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
            if entries.count == 1, case .int(let number)? = entries[PropertyListDocument.referenceKey] {
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
