public import LarderCore

/// A query that carries a value, for example a value to send to a server.
///
/// If the value is `KeyConvertible`, the query is also a key query.
public struct ObjectQuery<T: Sendable>: Query {
    /// The value that the query carries.
    public let value: T

    /// Creates a query that carries a value.
    public init(_ value: T) { self.value = value }
}

extension ObjectQuery: StoreQuery, KeyQuery where T: KeyConvertible {
    /// The storage key of the value.
    public var key: String { value.storageKey }
}

extension ObjectQuery: Equatable where T: Equatable {}
extension ObjectQuery: Hashable where T: Hashable {}

/// A query that carries several values, for example values to send to a server.
public struct ObjectsQuery<T: Sendable>: Query {
    /// The values that the query carries.
    public let values: [T]

    /// Creates a query that carries several values.
    public init(_ values: [T]) { self.values = values }
}

extension ObjectsQuery: StoreQuery where T: KeyConvertible {
    /// A selection of the values' storage keys.
    public var selection: StoreSelection { .keys(values.map(\.storageKey)) }
}
