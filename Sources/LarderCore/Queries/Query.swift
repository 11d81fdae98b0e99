/// What a data source is asked for.
///
/// Each source says which queries it takes; see ``KeyQuery`` for the ones a key-value source does.
public protocol Query: Sendable {}

/// A query for what is stored under one key.
public protocol KeyQuery: StorageQuery {
    /// The key. Stable: the same query gives the same key in every launch.
    var key: String { get }
}

/// A query by a key that is given as it is.
public struct StringKeyQuery: KeyQuery, Hashable {
    /// The key.
    public let key: String

    /// A query by its key.
    ///
    /// - Parameter key: Used as it is.
    @inlinable
    public init(_ key: String) { self.key = key }
}

/// An identifier that is stored under the same key in every launch.
///
/// Strings, integers and UUIDs are. An enum with a raw value that is one opts in with an empty conformance. There is no
/// default for `Hashable` types on purpose: Swift seeds `hashValue` anew in every process, so a key made of it would orphan
/// its value at the next launch.
public protocol KeyConvertible: Hashable, Sendable {
    /// The text that stands for this identifier in keys.
    var storageKey: String { get }
}

extension KeyConvertible where Self: RawRepresentable, RawValue: KeyConvertible {
    /// The key of the raw value.
    public var storageKey: String { rawValue.storageKey }
}

extension String: KeyConvertible {
    /// The text itself.
    @inlinable public var storageKey: String { self }
}

extension KeyConvertible where Self: BinaryInteger {
    /// The decimal digits, with a minus sign where needed.
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
