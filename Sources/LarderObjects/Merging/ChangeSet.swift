#if Objects
/// What one save changed in the database.
public struct ChangeSet: Sendable, Hashable {
    /// Objects that are new, in the order they were inserted.
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

    /// Collects the changes of several saves in one transaction.
    struct Builder {
        private(set) var changes = ChangeSet()
        private var insertedPlaces: [ObjectID: Int] = [:]
        private var withdrawn: Set<Int> = []

        mutating func insert(_ id: ObjectID) {
            insertedPlaces[id] = changes.inserted.count
            changes.inserted.append(id)
        }

        mutating func update(_ id: ObjectID, _ properties: [String]) {
            // Who is told of a new object reads all of it.
            guard insertedPlaces[id] == nil else { return }
            changes.updated[id, default: []].formUnion(properties)
        }

        mutating func delete(_ id: ObjectID) {
            changes.updated[id] = nil
            if let place = insertedPlaces.removeValue(forKey: id) {
                withdrawn.insert(place)
            } else {
                changes.deleted.append(id)
            }
        }

        mutating func join(_ name: String) { changes.joined.insert(name) }

        mutating func replaceEverything() { changes.isComplete = true }

        /// What there is to tell once the transaction is committed.
        var result: ChangeSet {
            guard !withdrawn.isEmpty else { return changes }
            var result = changes
            result.inserted = changes.inserted.enumerated().filter { !withdrawn.contains($0.offset) }.map(\.element)
            return result
        }
    }
}
#endif
