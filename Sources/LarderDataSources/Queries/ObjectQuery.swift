public import LarderCore

/// A query that is a value itself, such as the one to be sent.
///
/// When the value has a stable text, the query is a key query too.
public struct ObjectQuery<T: Sendable>: Query {
    /// The value.
    public let value: T

    /// A query by a value.
    public init(_ value: T) { self.value = value }
}

extension ObjectQuery: StorageQuery, KeyQuery where T: KeyConvertible {
    /// The stable text of the value.
    public var key: String { value.storageKey }
}

extension ObjectQuery: Equatable where T: Equatable {}
extension ObjectQuery: Hashable where T: Hashable {}

/// A query that is several values, such as the ones to be sent.
public struct ObjectsQuery<T: Sendable>: Query {
    /// The values.
    public let values: [T]

    /// A query by values.
    public init(_ values: [T]) { self.values = values }
}

extension ObjectsQuery: StorageQuery where T: KeyConvertible {
    /// The stable texts of the values.
    public var selection: StorageSelection { .keys(values.map(\.storageKey)) }
}
