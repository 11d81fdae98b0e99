import Foundation
package import LarderCore

// To and from what `UserDefaults` and `PropertyListSerialization` take and give.
extension PropertyListForm {
    /// The property-list object for a value, to hand to `UserDefaults.set(_:forKey:)` or `PropertyListSerialization`.
    ///
    /// - Parameter value: Any value.
    /// - Returns: Booleans, numbers, texts, dates, data, and arrays and dictionaries of these; never `NSNull` or an optional.
    package func object(for value: StoredValue) -> Any { Self.object(ofPlain: plain(value)) }

    /// The value that a property-list object stands for, whoever wrote it.
    ///
    /// - Parameters:
    ///   - object: As Foundation returned it.
    ///   - key: Where it was found, for the error.
    /// - Returns: The value.
    /// - Throws: ``StoreError`` with code `newerFormat` for an unknown tag, `damaged` for a tag against the rules, and
    ///   `unsupportedValue` for an object that no property list holds.
    package func value(of object: Any, at key: String) throws -> StoredValue {
        try value(ofPlain: Self.plain(object, path: [key]), path: [key])
    }

    private static func object(ofPlain value: StoredValue) -> Any {
        switch value {
        case .bool(let value): value
        case .int(let number): Int(exactly: number) ?? NSNumber(value: number)
        case .unsigned(let number): number
        case .float(let number): number
        case .double(let number): number
        case .string(let text), .url(let text): text
        case .date(let date): date
        case .data(let data): data
        case .array(let elements): elements.map(object(ofPlain:))
        case .dictionary(let entries):
            // Distinct as Swift sees them, because a key that is not in Normalization Form C was escaped.
            Dictionary(
                entries.lazy.map { ($0.key, object(ofPlain: $0.value)) },
                uniquingKeysWith: { _, later in later }
            )
        case .null: [String: Any]()
        }
    }

    private static func plain(_ object: Any, path: [String]) throws -> StoredValue {
        // Arrays of Foundation on Linux hold optionals, whatever was put into them.
        if let optional = object as? any OptionalObject, let content = optional.content {
            return try plain(content, path: path)
        }
        if let truth = truth(object) { return .bool(truth) }
        if let number = try number(object, path: path) { return number }
        if let text = object as? String { return .string(text) }
        if let date = object as? Date { return .date(date) }
        if let data = object as? Data { return .data(data) }
        if let elements = object as? [Any] {
            return .array(try elements.enumerated().map { try plain($0.element, path: path + ["[\($0.offset)]"]) })
        }
        if let entries = object as? [String: Any] {
            return .dictionary(
                StoredDictionary(try entries.map { ($0.key, try plain($0.value, path: path + [$0.key])) })
            )
        }
        throw StoreError(
            .unsupportedValue,
            "The value for \(path.joined(separator: " in turn ").debugDescription) is a \(type(of: object)), which is no property list.",
            key: path.first
        )
    }

    /// Foundation casts 1 to `true` and `true` to 1, so only the object's own type can tell.
    private static func truth(_ object: Any) -> Bool? {
        if type(of: object) == Bool.self { return object as? Bool }
        guard let number = object as? NSNumber else { return nil }
        if number === NSNumber(value: true) { return true }
        return number === NSNumber(value: false) ? false : nil
    }

    private static func number(_ object: Any, path: [String]) throws -> StoredValue? {
        switch object {
        case let number as any BinaryInteger:
            if let integer = StoredValue.integer(number) { return integer }
        case let number as Float where type(of: object) == Float.self: return .float(number)
        case let number as Double where type(of: object) == Double.self: return .double(number)
        case let number as NSNumber:
            switch number.objCType.pointee {
            case CChar(UInt8(ascii: "f")): return .float(number.floatValue)
            case CChar(UInt8(ascii: "d")): return .double(number.doubleValue)
            default:
                if let signed = Int64(exactly: number) { return .int(signed) }
                if let unsigned = UInt64(exactly: number) { return .integer(unsigned) }
            }
        default: return nil
        }
        throw StoreError(
            .unsupportedValue,
            "The number for \(path[0].debugDescription) fits no 64 bits.",
            key: path.first
        )
    }
}

private protocol OptionalObject {
    var content: Any? { get }
}

extension Optional: OptionalObject {
    fileprivate var content: Any? { map { $0 as Any } }
}
