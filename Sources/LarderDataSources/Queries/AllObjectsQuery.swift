public import LarderCore

/// A query for all values in a data source.
///
/// This query can't be used to read or write a single value.
public struct AllObjectsQuery: StoreQuery, Hashable {
    /// Creates a query for all values.
    public init() {}

    /// A selection of all keys.
    public var selection: StoreSelection { .all }
}

/// An empty query for data sources that need no query.
///
/// Sources that store values do not accept this query.
public struct VoidQuery: Query, Hashable {
    /// Creates an empty query.
    public init() {}
}
