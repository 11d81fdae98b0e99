import Foundation
package import LarderCore

// Conversion to and from the objects of `UserDefaults` and `PropertyListSerialization`.
extension PropertyListForm {
    /// Converts `value` to an object for `UserDefaults.set(_:forKey:)` or `PropertyListSerialization`.
    ///
    /// - Parameter value: Any value.
    /// - Returns: A Boolean, number, string, date or data, or an array or dictionary of these. The object is never `NSNull` or an optional.
    package func object(for value: StoredValue) -> Any { Self.object(ofPlain: plain(value)) }

    /// Converts a property-list object to the stored value that it represents.
    ///
    /// The object may have been written by any program.
    ///
    /// - Parameters:
    ///   - object: An object that Foundation returned.
    ///   - key: The key of the object, for error messages.
    /// - Returns: The stored value.
    /// - Throws: `StoreError` with code `newerFormat` for an unknown tag, `damaged` for an invalid tagged value, and `unsupportedValue`
    ///   for an object that no property list can hold.
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
            // Keys are unique under Unicode equivalence too, because a key that is not in Normalization Form C is escaped.
            Dictionary(
                entries.lazy.map { ($0.key, object(ofPlain: $0.value)) },
                uniquingKeysWith: { _, later in later }
            )
        case .null: [String: Any]()
        }
    }

    private static func plain(_ object: Any, path: [String]) throws -> StoredValue {
        // Foundation's arrays on Linux hold optionals.
        if let optional = object as? any OptionalObject, let content = optional.content {
            return try plain(content, path: path)
        }
        if let boolean = boolean(object) { return .bool(boolean) }
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
            "The value at \(Self.text(path)) has type \(type(of: object)), which a property list can't hold. Convert the object to data first.",
            key: path.first
        )
    }

    /// Returns `object` as a Boolean, or `nil` if it is not a Boolean.
    ///
    /// A cast is not sufficient, because Foundation casts 1 to `true` and `true` to 1.
    private static func boolean(_ object: Any) -> Bool? {
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
            "The number at \(Self.text(path)) does not fit in 64 bits. Store it as a string.",
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
