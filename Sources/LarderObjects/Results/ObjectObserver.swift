#if Objects
internal import LarderCore

/// An observer of one object of the view, which is notified after each merge.
final class ObjectObserver: ViewList {
    private let context: ObjectContext
    private let state: ObjectState
    /// The instance, which keeps the state up to date as long as the observer exists.
    private let object: AnyObject
    private let receive: (ObjectUpdate?) -> Void
    private let end: () -> Void
    /// The related ids that other rows contain, keyed by the index of the relationship.
    ///
    /// Ids that could not be read are missing.
    private var related: [Int: [Int64]] = [:]
    private var update: ObjectUpdate?

    /// Creates an observer, and adds it to the lists of the object's context.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - receive: A closure that is called after each merge with the object's update, or `nil` if the object has not changed.
    ///   - end: A closure that is called when the object is deleted or the manager is closed.
    init(_ object: some Object, receive: @escaping (ObjectUpdate?) -> Void, end: @escaping () -> Void) {
        self.object = object
        self.receive = receive
        self.end = end
        state = object.objectState
        context = state.context
        let distant = state.entity.relationships.filter { relationship in
            if case .reference = relationship.storage { false } else { true }
        }
        do {
            if !distant.isEmpty {
                try context.readList { statements in
                    for relationship in distant { related[relationship.index] = try ids(relationship, statements) }
                }
            }
        } catch {
            report(error)
        }
        context.add(self)
    }

    func prepare(_ changes: RowChanges, _ statements: StatementCache) {
        guard !isGone else { return }
        let row = state.rowID
        let rows = changes.entities[state.entity.index]
        if changes.isComplete || rows.inserted.contains(row) {
            update = .changed(nil)
            return
        }
        var names: Set<String> = []
        for own in rows.updated where own.row == row {
            names.formUnion(state.entity.changeNames(changes.columns[own.columns].columns))
        }
        do {
            for relationship in state.entity.relationships where Self.concerns(relationship, changes) {
                let ids = try ids(relationship, statements)
                if ids != related[relationship.index] { names.insert(relationship.name) }
                related[relationship.index] = ids
            }
            update = names.isEmpty ? nil : .changed(names)
        } catch {
            update = .changed(nil)
            report(error)
        }
    }

    func fail(_ error: any Error) { update = .changed(nil) }

    func publish() { if isGone { update = .deleted } }

    func deliver() {
        let update = update
        self.update = nil
        receive(update)
        if update == .deleted { finish() }
    }

    func finish() { end() }

    private var isGone: Bool { context.exclusively { state.status == .gone } }

    /// Returns whether a save may have changed the ids of a relationship that other rows contain.
    private static func concerns(_ relationship: ResolvedRelationship, _ changes: RowChanges) -> Bool {
        let rows = changes.entities[relationship.destination]
        switch relationship.storage {
        case .reference: return false
        case .joinTable(let join, _): return changes.links[join.name] != nil || !rows.deleted.isEmpty
        case .inverseReference(let column, let position):
            let columns = ColumnSet([column] + (position.map { [$0] } ?? []))
            let isRelevant = changes.columns.map { !columns.isDisjoint(with: $0) }
            return !rows.inserted.isEmpty || !rows.deleted.isEmpty || rows.updated.contains { isRelevant[$0.columns] }
        }
    }

    /// Reads the related ids that other rows contain.
    private func ids(_ relationship: ResolvedRelationship, _ statements: StatementCache) throws -> [Int64] {
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
            let destination = context.model.entities[relationship.destination]
            table = destination.table
            id = ResolvedEntity.keyColumn
            owner = destination.columns[column].name
            position = place.map { destination.columns[$0].name }
        }
        let order =
            ((position.map { ["\($0.quotedIdentifier) IS NULL", $0.quotedIdentifier] } ?? []) + [id.quotedIdentifier])
            .joined(separator: ", ")
        let sql = "SELECT \(id.quotedIdentifier) FROM \(table) WHERE \(owner.quotedIdentifier) = ? ORDER BY \(order)"
        context.queries.count(sql)
        return try statements.integers(sql, [.integer(state.rowID)])
    }

    private func report(_ error: any Error) {
        context.report(
            LarderIssue(
                .readFailed,
                "The relationships of an observed \(state.entity.name) could not be read, so observers are notified of any change. "
                    + "Resolve the underlying error.",
                underlying: error
            )
        )
    }
}
#endif
