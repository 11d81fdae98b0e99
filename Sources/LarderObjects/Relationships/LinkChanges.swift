#if Objects
/// Unsaved relationship changes that are written to join tables or to position columns.
struct LinkChanges {
    /// An identifier for an object's ordered relationship whose positions must be saved.
    struct OrderedList: Hashable {
        let entity: Int
        let rowID: Int64
        let relationship: Int
    }

    /// For each join table, the pairs of ids to insert (`true`) or delete (`false`).
    private(set) var pairs: [JoinTable: [LinkPair: Bool]] = [:]
    var orderedLists: Set<OrderedList> = []

    var isEmpty: Bool { orderedLists.isEmpty && pairs.allSatisfy { $0.value.isEmpty } }

    /// Records the insertion of a link, or cancels the link's pending removal.
    mutating func add(_ pair: LinkPair, to table: JoinTable) {
        if pairs[table]?[pair] == false { pairs[table]?[pair] = nil } else { pairs[table, default: [:]][pair] = true }
    }

    /// Records the removal of a link, or cancels the link's pending insertion.
    mutating func remove(_ pair: LinkPair, from table: JoinTable) {
        if pairs[table]?[pair] == true { pairs[table]?[pair] = nil } else { pairs[table, default: [:]][pair] = false }
    }
}

extension JoinTable {
    func pair(own: Int64, other: Int64, isSource: Bool) -> LinkPair {
        isSource ? LinkPair(source: own, target: other) : LinkPair(source: other, target: own)
    }
}

extension ObjectContext {
    /// Returns whether the object has unsaved link changes that are stored outside its own row.
    func hasLinkChanges(_ state: ObjectState) -> Bool {
        if links.isEmpty { return false }
        if links.orderedLists.contains(where: { $0.entity == state.entity.index && $0.rowID == state.rowID }) {
            return true
        }
        return links.pairs.contains { table, pairs in
            pairs.keys.contains {
                (table.sourceEntity == state.entity.index && $0.source == state.rowID)
                    || (table.targetEntity == state.entity.index && $0.target == state.rowID)
            }
        }
    }
}
#endif
