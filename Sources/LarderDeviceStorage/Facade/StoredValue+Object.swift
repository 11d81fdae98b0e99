import Foundation
public import LarderCore

extension StoredValue {
    /// Creates a stored value from an object such as one passed to `UserDefaults.set(_:forKey:)`.
    ///
    /// The accepted types are Booleans, integers, `Float`, `Double`, `CGFloat`, strings, `URL`, `Date`, `Data` and their Foundation
    /// classes. Arrays, array slices and string-keyed dictionaries of such values are also accepted, to any depth. `NSNull` and optionals
    /// that contain `nil` become `null`. Other types, such as `Decimal`, `Set`, `UUID` or a struct, have no exact stored form and are
    /// rejected.
    ///
    /// - Parameter object: A value of any type.
    /// - Throws: `StoreError` with code `unsupportedValue`, which names the type.
    public init(object: Any) throws { self = try Self.read(object, depth: 0) }

    /// The value in its natural Swift type, as returned by the facade's `object(forKey:)`.
    ///
    /// The types are `Bool`, `Int`, `UInt64` above `Int.max`, `Float`, `Double`, `String`, `URL`, `Date`, `Data`, `[Any]` and
    /// `[String: Any]`. Therefore `as? [String]` and `as? [String: Int]` succeed if all elements have that type. `null` becomes an `Any?`
    /// that contains `nil`, so that `as? [Int?]` succeeds too. A ``url(_:)`` that `URL` can't parse becomes a `String`.
    ///
    /// If two keys are equal in Swift, such as a composed and a decomposed "é", the dictionary contains the later entry.
    public var object: Any {
        switch self {
        case .bool(let value): value
        case .int(let value): Int(exactly: value) ?? value
        case .unsigned(let value): Int(exactly: value) ?? value
        case .float(let value): value
        case .double(let value): value
        case .string(let text): text
        case .url(let text): URL(string: text) ?? text
        case .date(let value): value
        case .data(let value): value
        case .array(let elements): elements.map(\.object)
        case .dictionary(let entries): entries.objects
        case .null: Any?.none as Any
        }
    }

    private static func read(_ object: Any, depth: Int) throws -> StoredValue {
        // Deep nesting is rejected here and not only by the store, because it could exhaust the stack.
        guard depth <= maximumDepth else { throw StoreError.nestedTooDeep }
        if type(of: object) is AnyClass { return try read(instance: object, depth: depth) }
        if let scalar = try read(scalar: object) { return scalar }
        switch object {
        case let optional as any OptionalObject:
            guard let wrapped = optional.wrappedObject else { return .null }
            return try read(wrapped, depth: depth)
        case let hashable as AnyHashable where type(of: object) == AnyHashable.self:
            return try read(hashable.base, depth: depth)
        case let list as [Any]: return .array(try list.map { try read($0, depth: depth + 1) })
        case let list as any ListObject: return .array(try list.objects.map { try read($0, depth: depth + 1) })
        case let entries as [AnyHashable: Any]:
            return try read(entries: entries.lazy.map { ($0.key.base, $0.value) }, depth: depth)
        default: throw StoreError.unsupported(object)
        }
    }

    private static func read(scalar object: Any) throws -> StoredValue? {
        switch object {
        case let text as String: return .string(text)
        case let value as Int: return .int(Int64(value))
        case let value as Bool: return .bool(value)
        case let value as Double: return .double(value)
        case let value as Float: return .float(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as URL: return .url(value)
        case let value as CGFloat: return .double(Double(value))
        case let text as Substring: return .string(String(text))
        case let number as any BinaryInteger:
            guard let value = integer(number) else { throw StoreError.unsupported(object) }
            return value
        default: return nil
        }
    }

    private static func read(instance: Any, depth: Int) throws -> StoredValue {
        switch instance {
        case let number as NSNumber: return try read(number: number)
        case let text as NSString: return .string(text as String)
        case let url as NSURL: return .url(url as URL)
        case let date as NSDate: return .date(date as Date)
        case let data as NSData: return .data(data as Data)
        case is NSNull: return .null
        case let list as NSArray:
            return .array(try (0..<list.count).map { try read(list.object(at: $0), depth: depth + 1) })
        case let entries as NSDictionary:
            // The entries are read one at a time, because a key that is not a string must be rejected.
            return try read(entries: entries.allKeys.lazy.map { ($0, entries.object(forKey: $0) as Any) }, depth: depth)
        default: throw StoreError.unsupported(instance)
        }
    }

    private static func read(number: NSNumber) throws -> StoredValue {
        if number is NSDecimalNumber { throw StoreError.unsupported(number) }
        // Only Booleans have this class. No other check works on every platform.
        if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): return .float(number.floatValue)
        case UInt8(ascii: "d"): return .double(number.doubleValue)
        case UInt8(ascii: "Q"): return integer(number.uint64Value) ?? .unsigned(number.uint64Value)
        default: return .int(number.int64Value)
        }
    }

    private static func read(entries: some Sequence<(Any, Any)>, depth: Int) throws -> StoredValue {
        let pairs = try entries.map { key, value in
            // Any error means that the object can't be a key, so the error to throw is always the same.
            guard case .string(let text)? = try? read(key, depth: depth) else { throw StoreError.unsupportedKey(key) }
            return (text, try read(value, depth: depth + 1))
        }
        return .dictionary(StoredDictionary(pairs))
    }
}

extension StoredDictionary {
    /// The entries as a Swift dictionary whose values have their natural Swift types.
    var objects: [String: Any] {
        // `uniqueKeysWithValues` would end the process, because two keys may differ in their bytes but be equal in Swift.
        Dictionary(map { ($0.key, $0.value.object) }) { _, later in later }
    }
}

/// A protocol for optionals whose wrapped type is not known at compile time.
private protocol OptionalObject {
    var wrappedObject: Any? { get }
}

extension Optional: OptionalObject {
    fileprivate var wrappedObject: Any? { map { $0 as Any } }
}

/// A protocol for lists other than `Array`, such as `ArraySlice`, whose element type is not known at compile time.
private protocol ListObject {
    var objects: [Any] { get }
}

extension ArraySlice: ListObject {
    fileprivate var objects: [Any] { Array(self) }
}

extension ContiguousArray: ListObject {
    fileprivate var objects: [Any] { Array(self) }
}

extension StoreError {
    fileprivate static let nestedTooDeep = StoreError(
        .unsupportedValue,
        "The value contains arrays or dictionaries that are nested more than \(StoredValue.maximumDepth) levels deep. Store the value in a flatter form."
    )

    fileprivate static func unsupported(_ object: Any) -> StoreError {
        StoreError(
            .unsupportedValue,
            "A value of type \(type(of: object)) can't be stored without loss. Convert the value to a string, a number, data, an array or a dictionary first."
        )
    }

    fileprivate static func unsupportedKey(_ key: Any) -> StoreError {
        StoreError(
            .unsupportedValue,
            "A dictionary with a key of type \(type(of: key)) can't be stored. Use strings as its keys."
        )
    }
}
