/// What a storage is asked for: one key, several keys, or everything it holds.
///
/// ``KeyQuery`` is the query for one key. A source's reads and writes of single values take key queries alone; its lists and
/// deletions take any of these.
public protocol StorageQuery: Query {
    /// Which values are meant.
    var selection: StorageSelection { get }
}

/// Which values of a storage a query means.
public enum StorageSelection: Sendable, Hashable {
    /// What is stored under one key.
    case key(String)
    /// What is stored under each of several keys, in this order.
    case keys([String])
    /// Everything the source holds.
    case all
}

extension KeyQuery {
    /// The one key.
    public var selection: StorageSelection { .key(key) }
}
