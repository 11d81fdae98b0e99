/// A query for values in a data source.
///
/// Each data source documents the queries that it supports. Sources of keyed values support ``KeyQuery``.
public protocol Query: Sendable {}

/// A query for the value under one key.
public protocol KeyQuery: StoreQuery {
    /// The key of the value, which must be the same in every launch.
    var key: String { get }
}

/// A query for the value under a literal key.
public struct StringKeyQuery: KeyQuery, Hashable {
    /// The key of the value, exactly as it was passed to the initializer.
    public let key: String

    /// Creates a query for the value under a key.
    ///
    /// - Parameter key: The key, which is used unchanged.
    @inlinable
    public init(_ key: String) { self.key = key }
}

/// An identifier that maps to the same key in every launch.
///
/// Strings, integers and UUIDs conform to this protocol. For an enum whose raw value conforms, declare an empty conformance. Don't derive a
/// key from `hashValue`, because a hash value differs in every process.
public protocol KeyConvertible: Hashable, Sendable {
    /// The string that represents this identifier in keys.
    var storageKey: String { get }
}

extension KeyConvertible where Self: RawRepresentable, RawValue: KeyConvertible {
    /// The storage key of the raw value.
    public var storageKey: String { rawValue.storageKey }
}

extension String: KeyConvertible {
    /// The string itself.
    @inlinable public var storageKey: String { self }
}

extension KeyConvertible where Self: BinaryInteger {
    /// The number in decimal digits, with a minus sign if it is negative.
    public var storageKey: String { String(self) }
}

extension Int: KeyConvertible {}
extension Int8: KeyConvertible {}
extension Int16: KeyConvertible {}
extension Int32: KeyConvertible {}
extension Int64: KeyConvertible {}
extension UInt: KeyConvertible {}
extension UInt8: KeyConvertible {}
extension UInt16: KeyConvertible {}
extension UInt32: KeyConvertible {}
extension UInt64: KeyConvertible {}
