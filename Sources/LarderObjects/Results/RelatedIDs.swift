#if Objects
internal import LarderCore

/// The ids in a relationship of an observed object, which other rows contain.
struct RelatedIDs {
    let relationship: ResolvedRelationship
    private let state: ObjectState
    /// The ids in their order, or `nil` if they are not known.
    private var ids: [Int64]?
    /// The ids without their order.
    private var members = RowIDSet()

    /// Creates a record of a relationship, whose ids are known if the view has shown them.
    init(_ relationship: ResolvedRelationship, of state: ObjectState) {
        self.relationship = relationship
        self.state = state
        let lists = state.context.exclusively { state.lists }
        if lists.indices.contains(relationship.index) { set(lists[relationship.index]) }
    }

    var isKnown: Bool { ids != nil }

    mutating func forget() { set(nil) }

    /// Reads the ids, unless they are known.
    mutating func read(_ statements: StatementCache) throws {
        if ids == nil { set(try stored(statements)) }
    }

    /// Updates the ids after a merge.
    ///
    /// If the call throws an error, the ids are not known afterward.
    ///
    /// - Returns: Whether the ids or their order have changed. If the ids were not known, they count as changed.
    mutating func update(_ changes: MergedChanges, _ statements: StatementCache) throws -> Bool {
        do {
            if let ids {
                guard try changes.mayChange(relationship, of: state.rowID, from: members, statements) else {
                    return false
                }
                let stored = try stored(statements)
                set(stored)
                return stored != ids
            }
            set(try stored(statements))
            return true
        } catch {
            forget()
            throw error
        }
    }

    private mutating func set(_ ids: [Int64]?) {
        self.ids = ids
        members = RowIDSet(ids ?? [])
    }

    private func stored(_ statements: StatementCache) throws -> [Int64] {
        let table: String
        let (id, owner, position): (String, String, String?)
        switch relationship.storage {
        case .reference: return []
        case .joinTable(let join, let isSource):
            table = join.table
            id = join.otherColumn(isSource: isSource)
            owner = join.ownColumn(isSource: isSource)
            position = join.positionColumn(isSource: isSource)
        case .inverseReference(let column, let place):
            let destination = state.context.model.entities[relationship.destination]
            table = destination.table
            id = ResolvedEntity.keyColumn
            owner = destination.columns[column].name
            position = place.map { destination.columns[$0].name }
        }
        let order =
            ((position.map { ["\($0.quotedIdentifier) IS NULL", $0.quotedIdentifier] } ?? []) + [id.quotedIdentifier])
            .joined(separator: ", ")
        let sql = "SELECT \(id.quotedIdentifier) FROM \(table) WHERE \(owner.quotedIdentifier) = ? ORDER BY \(order)"
        state.context.queries.count(sql)
        return try statements.integers(sql, [.integer(state.rowID)])
    }
}
#endif
