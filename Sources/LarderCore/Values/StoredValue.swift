#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value in the representation that all Larder stores share.
///
/// Typed keys, data sources and imported files all convert their values to this type.
///
/// **Equality is by bytes.** Two values are equal if their canonical encodings (`Documentation/Formats/stored-value-v1.md`) are equal:
/// strings compare by UTF-8, so a composed and a decomposed "é" differ; floats, doubles and dates compare by bit pattern, so `-0.0` and
/// `0.0` differ, and all NaNs are equal. Hashing is consistent with equality.
///
/// **Every value round-trips exactly, even after a relaunch, in every store.** If a foreign file format cannot represent a case, the store
/// for that format writes a documented tagged form or rejects the value with ``StoreError/Code/unsupportedValue``.
///
/// An integer has one canonical form, which is ``int(_:)`` if it fits in 64 signed bits, or ``unsigned(_:)`` otherwise. An `.unsigned`
/// value that fits is equal to the `.int` of the same number, and is stored as `.int`.
public enum StoredValue: Sendable {
    /// A Boolean.
    case bool(Bool)
    /// An integer that fits in 64 signed bits.
    case int(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A 32-bit floating-point number.
    ///
    /// The number remains a `Float` after a relaunch, so 0.1 prints as "0.1".
    case float(Float)
    /// A 64-bit floating-point number.
    case double(Double)
    /// A string, whose UTF-8 bytes are stored unchanged.
    case string(String)
    /// A URL, stored as its absolute string.
    case url(String)
    /// A date, stored as the bit pattern of its interval since the reference date (2001-01-01 00:00:00 UTC).
    case date(Date)
    /// A sequence of bytes.
    case data(Data)
    /// An ordered list, whose elements may be of different kinds.
    case array([StoredValue])
    /// A dictionary whose string keys are compared by their bytes.
    case dictionary(StoredDictionary)
    /// A null inside an array or a dictionary.
    ///
    /// Stores reject `.null` as a top-level value. The absence of a value is represented by `nil`.
    case null
}

extension StoredValue {
    /// Returns the stored value that represents a URL.
    ///
    /// - Parameter url: Any URL. A relative URL is resolved against its base first.
    /// - Returns: `.url` with `url.absoluteString`.
    public static func url(_ url: URL) -> StoredValue { .url(url.absoluteString) }

    /// Returns the canonical stored value for an integer of any width.
    ///
    /// - Parameter integer: The integer to represent.
    /// - Returns: `.int` if the number fits in `Int64`, `.unsigned` if it fits only in `UInt64`, or `nil` if it fits in neither.
    public static func integer(_ integer: some BinaryInteger) -> StoredValue? {
        if let signed = Int64(exactly: integer) { return .int(signed) }
        if let unsigned = UInt64(exactly: integer) { return .unsigned(unsigned) }
        return nil
    }

    /// The kind of this value, such as `int` or `string`.
    public var kind: Kind {
        switch self {
        case .bool: .bool
        case .int: .int
        case .unsigned(let number): number > UInt64(Int64.max) ? .unsigned : .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .url: .url
        case .date: .date
        case .data: .data
        case .array: .array
        case .dictionary: .dictionary
        case .null: .null
        }
    }

    /// The kinds of stored values.
    ///
    /// The raw values appear in files and in the output of `larder list`.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// The kind of ``StoredValue/bool(_:)`` values.
        case bool
        /// The kind of ``StoredValue/int(_:)`` values.
        case int
        /// The kind of ``StoredValue/unsigned(_:)`` values above `Int64.max`.
        case unsigned
        /// The kind of ``StoredValue/float(_:)`` values.
        case float
        /// The kind of ``StoredValue/double(_:)`` values.
        case double
        /// The kind of ``StoredValue/string(_:)`` values.
        case string
        /// The kind of `StoredValue.url` values.
        case url
        /// The kind of ``StoredValue/date(_:)`` values.
        case date
        /// The kind of ``StoredValue/data(_:)`` values.
        case data
        /// The kind of ``StoredValue/array(_:)`` values.
        case array
        /// The kind of ``StoredValue/dictionary(_:)`` values.
        case dictionary
        /// The kind of ``StoredValue/null``.
        case null
    }
}

// There is no conformance to `ExpressibleByNilLiteral`, because `found ? value : nil` would silently become `.null`.
extension StoredValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a `.bool` value from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an `.int` value from a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a `.double` value from a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a `.string` value from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an `.array` value from a literal.
    public init(arrayLiteral elements: StoredValue...) { self = .array(elements) }
    /// Creates a `.dictionary` value from a literal.
    ///
    /// If two keys have the same bytes, the later entry wins.
    public init(dictionaryLiteral elements: (String, StoredValue)...) {
        self = .dictionary(StoredDictionary(elements.map { ($0.0, $0.1) }))
    }
}
