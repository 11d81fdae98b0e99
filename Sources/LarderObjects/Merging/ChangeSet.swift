#if Objects
/// What one save changed in the database.
public struct ChangeSet: Sendable, Hashable {
    /// Objects that are new, in the order of their ids, which are given in the order of insertion.
    public internal(set) var inserted: [ObjectID] = []
    /// Objects with new values, with the names of the properties.
    ///
    /// A relationship stored with the other object is not among them.
    public internal(set) var updated: [ObjectID: Set<String>] = [:]
    /// Objects that are gone.
    public internal(set) var deleted: [ObjectID] = []
    /// Whether everything may have changed, as after a reset.
    public internal(set) var isComplete = false
    /// Names of relationships between many and many whose links changed, such as `Post.tags`, on both sides.
    var joined: Set<String> = []

    /// Whether nothing was changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && joined.isEmpty && !isComplete }
}
#endif
