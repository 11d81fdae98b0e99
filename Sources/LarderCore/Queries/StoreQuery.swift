/// A query for one key, several keys, or all values of a store.
///
/// Reads and writes of single values accept only a query for one key, which is a ``KeyQuery``. Reads and writes of lists, and deletions,
/// accept any store query.
public protocol StoreQuery: Query {
    /// The values that the query selects.
    var selection: StoreSelection { get }
}

/// A selection of the values in a store.
public enum StoreSelection: Sendable, Hashable {
    /// The value under one key.
    case key(String)
    /// The values under several keys, in the order of the keys.
    case keys([String])
    /// All values in the store or data source.
    case all
}

extension KeyQuery {
    /// A selection of the single value under ``KeyQuery/key``.
    public var selection: StoreSelection { .key(key) }
}
