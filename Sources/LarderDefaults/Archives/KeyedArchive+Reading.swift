import Foundation
import LarderCore

extension KeyedArchive.Part {
    /// Parses the property list of an archive, in binary or XML format.
    init(archive bytes: Data) throws {
        guard PropertyListDocument.encoding(of: bytes) == .binary || bytes.contains(UInt8(ascii: "<")) else {
            throw KeyedArchive.damaged("it is not a property list")
        }
        let list: StoredValue
        do {
            list = try PropertyListDocument.root(of: [UInt8](bytes), isArchive: true)
        } catch let damage as DocumentDamage {
            throw KeyedArchive.damaged("\(damage)")
        } catch {
            throw CoreError.DataSerialization("The keyed archive can't be read.", underlying: error)
        }
        try self.init(list, depth: 0)
    }

    /// Creates an archive element from a property list value.
    ///
    /// A dictionary with the single key `CF$UID` becomes a reference to an entry of the archive's `$objects` array.
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
                guard let number = UInt32(exactly: number) else {
                    throw KeyedArchive.damaged("a reference has an invalid number")
                }
                self = .reference(Int(number))
                return
            }
            var parts: [String: Self] = [:]
            for entry in entries { parts[entry.key] = try Self(entry.value, depth: depth + 1) }
            guard parts.count == entries.count else { throw KeyedArchive.hasKeyTwice }
            self = .entries(parts)
        case .null: throw KeyedArchive.damaged("it contains a null value")
        }
    }
}

extension KeyedArchive {
    fileprivate static let nestedTooDeep = damaged("its property list has more than \(maximumDepth) levels of nesting")
    fileprivate static let hasKeyTwice = damaged("an object contains a key twice")
}
