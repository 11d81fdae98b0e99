#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One value as every Larder store keeps it: what typed keys, data sources and imported files all become.
///
/// **Identity is bytes.** Two values are equal when their canonical encodings (`Documentation/Formats/stored-value-v1.md`)
/// are equal: strings compare by their UTF-8, so a composed and a decomposed "é" differ; floats, doubles and dates compare
/// by bit pattern, so `-0.0` and `0.0` differ, and every NaN is the one canonical NaN. Hashing agrees.
///
/// **Every case survives a relaunch exactly, on every engine.** Where a foreign file format cannot hold a case, its engine
/// writes a documented tagged form or refuses the value with ``StoreError/Code/unsupportedValue``.
///
/// An integer has one form: ``int(_:)`` when it fits 64 signed bits, ``unsigned(_:)`` only above that. A `.unsigned` that
/// fits is equal to, and is stored as, the `.int` of the same number.
public enum StoredValue: Sendable {
    /// A truth value.
    case bool(Bool)
    /// An integer that fits 64 signed bits.
    case int(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    /// A 32-bit floating-point number. It stays a `Float` after a relaunch: 0.1 prints as "0.1".
    case float(Float)
    /// A 64-bit floating-point number.
    case double(Double)
    /// Text, kept byte for byte as UTF-8.
    case string(String)
    /// A URL, kept as its absolute text.
    case url(String)
    /// A moment, kept as the bit pattern of its interval since the reference date (2001-01-01 00:00:00 UTC).
    case date(Date)
    /// Bytes.
    case data(Data)
    /// An ordered list; elements may be of different kinds.
    case array([StoredValue])
    /// Entries under text keys that compare by their bytes.
    case dictionary(StoredDictionary)
    /// Nothing, inside an array or a dictionary. At the top level of a store a missing value is `nil`; `.null` is refused.
    case null
}

extension StoredValue {
    /// A URL by its absolute text.
    ///
    /// - Parameter url: Any URL; a relative one is resolved against its base first.
    /// - Returns: `.url` holding `url.absoluteString`.
    public static func url(_ url: URL) -> StoredValue { .url(url.absoluteString) }

    /// An integer of any width, in its one canonical form.
    ///
    /// - Parameter integer: The number.
    /// - Returns: `.int` when the number fits `Int64`, `.unsigned` when it fits `UInt64` alone, and `nil` when it fits
    ///   neither (`Int128` and the like).
    public static func integer(_ integer: some BinaryInteger) -> StoredValue? {
        if let signed = Int64(exactly: integer) { return .int(signed) }
        if let unsigned = UInt64(exactly: integer) { return .unsigned(unsigned) }
        return nil
    }

    /// The kind of value this is, without its content.
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

    /// The name of a case of ``StoredValue``; its raw value is what `larder list` prints and files quote.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
        /// ``StoredValue/bool(_:)``
        case bool
        /// ``StoredValue/int(_:)``
        case int
        /// ``StoredValue/unsigned(_:)`` above `Int64.max`
        case unsigned
        /// ``StoredValue/float(_:)``
        case float
        /// ``StoredValue/double(_:)``
        case double
        /// ``StoredValue/string(_:)``
        case string
        /// `StoredValue.url`
        case url
        /// ``StoredValue/date(_:)``
        case date
        /// ``StoredValue/data(_:)``
        case data
        /// ``StoredValue/array(_:)``
        case array
        /// ``StoredValue/dictionary(_:)``
        case dictionary
        /// ``StoredValue/null``
        case null
    }
}

// Not by a `nil` literal: `found ? value : nil` would become `.null` without a word.
extension StoredValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A literal of `.bool`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A literal of `.int`.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A literal of `.double`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A literal of `.string`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A literal of `.array`.
    public init(arrayLiteral elements: StoredValue...) { self = .array(elements) }
    /// `.dictionary`; of two entries under the same bytes the later one counts.
    public init(dictionaryLiteral elements: (String, StoredValue)...) {
        self = .dictionary(StoredDictionary(elements.map { ($0.0, $0.1) }))
    }
}
