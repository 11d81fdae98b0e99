#if Objects
internal import LarderCore

/// The changes of a merge, and what the lists of a view look up in them.
///
/// What is looked up is computed once for all lists.
final class MergedChanges {
    let changes: RowChanges
    private let model: ResolvedModel
    private let queries: QueryCounter
    private var properties: [Int: ChangedProperties] = [:]
    private var deleted: [Int: RowIDSet] = [:]
    private var linked: [ResolvedRelationship.Storage: RowIDSet] = [:]
    private var references: [Reference: References] = [:]

    private struct Reference: Hashable {
        let entity: Int
        let column: Int
        let position: Int?
    }
    /// The rows that may have received another reference.
    private struct References {
        let rows: RowIDSet
        /// The rows to which these refer, or `nil` if there are too many.
        let owners: RowIDSet?
    }

    /// The number of changed rows up to which their references are read.
    private static let limit = 10_000

    init(_ changes: RowChanges, _ model: ResolvedModel, queries: QueryCounter) {
        self.changes = changes
        self.model = model
        self.queries = queries
    }

    /// The changed properties of an entity's objects.
    func properties(of entity: ResolvedEntity) -> ChangedProperties {
        properties.value(for: entity.index) { ChangedProperties(changes, entity) }
    }

    /// Returns whether the ids in a relationship of an object, which other rows contain, may have changed.
    ///
    /// This reads the new references of changed rows, once for all objects.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - row: The row of the object.
    ///   - known: The ids before the merge.
    ///   - statements: The statements of the snapshot that the lists read.
    /// - Returns: `false` if the ids have not changed.
    /// - Throws: An error of the database.
    func mayChange(
        _ relationship: ResolvedRelationship,
        of row: Int64,
        from known: RowIDSet,
        _ statements: StatementCache
    ) throws -> Bool {
        let destination = relationship.destination
        let isAnyDeleted = !deletedRows(of: destination).isDisjoint(with: known)
        switch relationship.storage {
        case .reference: return false
        case .joinTable(let join, let isSource):
            guard let links = changes.links[join.name] else { return isAnyDeleted }
            // It may not be known which links changed.
            return isAnyDeleted || links.isEmpty
                || linkedRows(relationship.storage, links, isSource: isSource).contains(row)
        case .inverseReference(let column, let position):
            if isAnyDeleted { return true }
            let reference = Reference(entity: destination, column: column, position: position)
            let changed = try references.value(for: reference) { try read(reference, statements) }
            return changed.owners?.contains(row) ?? true || !changed.rows.isDisjoint(with: known)
        }
    }

    private func deletedRows(of entity: Int) -> RowIDSet {
        deleted.value(for: entity) { RowIDSet(changes.entities[entity].deleted) }
    }

    /// The rows on one side of the changed links.
    private func linkedRows(
        _ storage: ResolvedRelationship.Storage,
        _ links: RowChanges.Links,
        isSource: Bool
    ) -> RowIDSet {
        linked.value(for: storage) {
            let pairs = [links.inserted, links.moved, links.deleted].joined()
            return RowIDSet(pairs.map { isSource ? $0.source : $0.target })
        }
    }

    private func read(_ reference: Reference, _ statements: StatementCache) throws -> References {
        let columns = ColumnSet([reference.column] + (reference.position.map { [$0] } ?? []))
        let isRelevant = changes.columns.map { !columns.isDisjoint(with: $0) }
        let changed = changes.entities[reference.entity]
        let rows = RowIDSet(changed.inserted + changed.updated.lazy.filter { isRelevant[$0.columns] }.map(\.row))
        if rows.isEmpty { return References(rows: rows, owners: rows) }
        guard rows.count <= Self.limit else { return References(rows: rows, owners: nil) }
        let entity = model.entities[reference.entity]
        let column = entity.columns[reference.column].quotedName
        let sql =
            "SELECT \(column) FROM \(entity.table) WHERE \(ResolvedEntity.quotedKeyColumn) "
            + "IN (SELECT value FROM json_each(?)) AND \(column) IS NOT NULL"
        queries.count(sql)
        let owners = try statements.integers(sql, [ObjectContext.list(rows.sorted())])
        return References(rows: rows, owners: RowIDSet(owners))
    }
}

extension Dictionary {
    /// Returns the value for a key, first adding the result of `make` if there is none.
    fileprivate mutating func value(for key: Key, make: () throws -> Value) rethrows -> Value {
        if let value = self[key] { return value }
        let value = try make()
        self[key] = value
        return value
    }
}

extension RowIDSet {
    fileprivate func isDisjoint(with other: RowIDSet) -> Bool {
        let (fewer, more) = count < other.count ? (self, other) : (other, self)
        return !fewer.sorted().contains(where: more.contains)
    }
}
#endif
