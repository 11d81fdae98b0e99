#if Objects
/// The columns and join tables that determine which objects a query returns, and in which order.
struct Dependencies: Sendable {
    /// The part of a list that must be read again after a save.
    enum Effect: Equatable {
        /// No object enters, leaves or moves.
        case none
        /// Only the objects with these ids can enter, leave or move.
        case ids([Int64])
        /// Any object can enter, leave or move.
        case again
    }

    /// The columns in the rows of the requested objects.
    private(set) var own = ColumnSet()
    /// The columns in the rows that relationships lead to, keyed by the index of the entity.
    ///
    /// If a relationship leads to the requested entity, this entity has a key too.
    private(set) var related: [Int: ColumnSet] = [:]
    /// The names of the join tables.
    private(set) var joins: Set<String> = []

    /// Whether only an object's own row determines whether, and where, the object is in the list.
    var isLocal: Bool { related.isEmpty && joins.isEmpty }

    mutating func insert(_ column: Int, of source: SQLTranslator.Source) {
        if source.isRequested {
            own.insert(column)
        } else {
            related[source.entity.index, default: ColumnSet()].insert(column)
        }
    }

    /// Records that the query reads rows of a related entity, whichever columns it uses.
    mutating func insert(related entity: Int) { related[entity] = related[entity] ?? ColumnSet() }

    mutating func insert(_ join: JoinTable) { joins.insert(join.name) }

    /// Returns the effect of a save on a list of the objects of `entity`.
    func effect(of changes: RowChanges, on entity: Int) -> Effect {
        if changes.isComplete || !joins.isDisjoint(with: changes.links.keys) { return .again }
        for (entity, columns) in related where isChanged(columns, by: changes.entities[entity], changes) {
            return .again
        }
        let rows = changes.entities[entity]
        let isRelevant = changes.columns.map { !own.isDisjoint(with: $0) }
        let ids = rows.inserted + rows.updated.lazy.filter { isRelevant[$0.columns] }.map(\.row) + rows.deleted
        return ids.isEmpty ? .none : .ids(ids)
    }

    /// Returns whether rows of a related entity were inserted or deleted, or changed in one of the given columns.
    private func isChanged(_ columns: ColumnSet, by rows: RowChanges.Rows, _ changes: RowChanges) -> Bool {
        if !rows.inserted.isEmpty || !rows.deleted.isEmpty { return true }
        let isRelevant = changes.columns.map { !columns.isDisjoint(with: $0) }
        return rows.updated.contains { isRelevant[$0.columns] }
    }
}
#endif
