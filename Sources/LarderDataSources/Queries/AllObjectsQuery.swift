public import LarderCore

/// A query for everything a source holds, and nothing of what others hold.
///
/// It is no key: a source does not take it for one value.
public struct AllObjectsQuery: StorageQuery, Hashable {
    /// A query for everything.
    public init() {}

    /// Everything.
    public var selection: StorageSelection { .all }
}

/// A query that no storage takes, for sources that need none.
public struct VoidQuery: Query, Hashable {
    /// The query.
    public init() {}
}
