#if Objects
internal import Foundation

extension ObjectContext {
    /// Returns the SQL of the SELECT list for an entity, starting with the primary key.
    static func selection(_ entity: ResolvedEntity, alias: String) -> String {
        entity.selection(alias)
    }

    /// Encodes any number of ids as a single parameter for `IN (SELECT value FROM json_each(?))`.
    static func list(_ ids: some Sequence<Int64>) -> ColumnValue {
        .text("[" + ids.map(String.init).joined(separator: ",") + "]")
    }

    /// Returns the states of the objects with the given ids, in the order of the ids.
    ///
    /// Ids without a row are skipped.
    ///
    /// - Complexity: At most one query.
    func entries(_ entity: ResolvedEntity, _ ids: [Int64]) throws -> [ObjectState] {
        let table = tables[entity.index]
        let missing = ids.filter { table[$0] == nil }
        if !missing.isEmpty {
            region?.insert(entity.index)
            let key = ResolvedEntity.keyColumn.quotedIdentifier
            _ = try register(
                entity,
                "\(entity.query) WHERE t.\(key) IN (SELECT value FROM json_each(?))",
                [Self.list(missing)]
            )
        }
        return ids.compactMap { id in
            guard let state = table[id] else { return nil }
            state.round = round
            return state
        }
    }

    /// Returns the related object of a to-one relationship.
    ///
    /// If the object is not in memory, the related objects of the entire fetch group are read together.
    func target(of state: ObjectState, _ relationship: ResolvedRelationship) throws -> ObjectState? {
        let destination = model.entities[relationship.destination]
        guard case .reference(let column) = relationship.storage else {
            return try list(of: state, relationship).first.flatMap { try entries(destination, [$0]).first }
        }
        guard let id = state.reference(column) else { return nil }
        region?.insert(relationship.destination)
        if let target = tables[destination.index][id] {
            target.round = round
            return target
        }
        var wanted: Set<Int64> = [id]
        for sibling in siblings(of: state) {
            guard let other = sibling.reference(column), tables[destination.index][other] == nil else { continue }
            wanted.insert(other)
        }
        if wanted.count == 1 {
            try during("\(state.entity.name).\(relationship.name)") { _ = try entries(destination, [id]) }
        } else {
            let all = wanted.sorted()
            try together(state, { _ = try entries(destination, all) }, alone: { _ = try entries(destination, [id]) })
        }
        return tables[destination.index][id]
    }

    /// Reads a relationship for an entire fetch group by calling `all`.
    ///
    /// If `all` detects corruption, `alone` reads the relationship of a single object, so that intact objects remain readable.
    private func together<Result>(
        _ state: ObjectState,
        _ all: () throws -> Result,
        alone: () throws -> Result
    ) throws -> Result {
        do {
            return try all()
        } catch let error as ObjectError where error.code == .damaged {
            state.group?.readsSingly = true
            return try alone()
        }
    }

    /// The maximum number of objects in a fetch group whose relationships are read together.
    private static let batch = 2_000

    /// Returns the object and the following objects of its fetch group that are still in the context.
    private func siblings(of state: ObjectState) -> [ObjectState] {
        guard let group = state.group, !group.readsSingly else { return [] }
        return group.ids(from: state.rowID, count: Self.batch).compactMap { tables[state.entity.index][$0] }
    }

    /// Returns the ids of the objects in a relationship.
    ///
    /// If the ids are not in memory, the ids for the entire fetch group are read together.
    func list(of state: ObjectState, _ relationship: ResolvedRelationship) throws -> [Int64] {
        if case .reference(let column) = relationship.storage { return state.reference(column).map { [$0] } ?? [] }
        if state.lists.isEmpty { state.lists = Array(repeating: nil, count: state.entity.relationships.count) }
        if let known = state.lists[relationship.index] { return known }
        if state.status == .inserted {
            state.lists[relationship.index] = []
            return []
        }
        var owners: [Int64: ObjectState] = [state.rowID: state]
        for sibling in siblings(of: state) where sibling.status == .stored {
            if sibling.lists.isEmpty {
                sibling.lists = Array(repeating: nil, count: sibling.entity.relationships.count)
            }
            if sibling.lists[relationship.index] == nil { owners[sibling.rowID] = sibling }
        }
        region?.insert(relationship.destination)
        var lists: [Int64: [Int64]]
        // Only queries for a single object are counted as repeated queries.
        if owners.count == 1 {
            lists = try during("\(state.entity.name).\(relationship.name)") {
                try storedLists(of: [state.rowID], relationship)
            }
        } else {
            let all = owners.keys.sorted()
            lists = try together(
                state,
                { try storedLists(of: all, relationship) },
                alone: {
                    owners = [state.rowID: state]
                    return try storedLists(of: [state.rowID], relationship)
                }
            )
        }
        overlay(&lists, owners, relationship)
        for (id, owner) in owners { owner.lists[relationship.index] = lists[id] ?? [] }
        return state.lists[relationship.index] ?? []
    }

    /// Reads the ids of the objects related to several owners, in one query.
    ///
    /// - Returns: The ids of the related objects, keyed by the id of their owner.
    private func storedLists(of owners: [Int64], _ relationship: ResolvedRelationship) throws -> [Int64: [Int64]] {
        let destination = model.entities[relationship.destination]
        let key = ResolvedEntity.keyColumn.quotedIdentifier
        let selection = Self.selection(destination, alias: "t")
        let sql: String
        switch relationship.storage {
        case .reference: return [:]
        case .inverseReference(let column, let position):
            let reference = "t.\(destination.columns[column].quotedName)"
            let place = position.map { "t.\(destination.columns[$0].quotedName)" }
            sql =
                "SELECT \(reference), \(selection) FROM \(destination.table) AS t "
                + "WHERE \(reference) IN (SELECT value FROM json_each(?)) ORDER BY \(Self.order(place))t.\(key)"
        case .joinTable(let join, let isSource):
            let own = "j.\(join.ownColumn(isSource: isSource).quotedIdentifier)"
            let other = "j.\(join.otherColumn(isSource: isSource).quotedIdentifier)"
            let place = join.positionColumn(isSource: isSource).map { "j.\($0.quotedIdentifier)" }
            sql =
                "SELECT \(own), \(selection) FROM \(join.table) AS j JOIN \(destination.table) AS t ON t.\(key) = \(other) "
                + "WHERE \(own) IN (SELECT value FROM json_each(?)) ORDER BY \(Self.order(place))t.\(key)"
        }
        var lists: [Int64: [Int64]] = [:]
        _ = try register(destination, sql, [Self.list(owners)], after: 1) { statement, id in
            lists[statement.integer(at: 0), default: []].append(id)
        }
        return lists
    }

    private static func order(_ position: String?) -> String {
        position.map { "\($0) IS NULL, \($0), " } ?? ""
    }

    /// Applies unsaved changes to the ids of related objects that were read from the database.
    private func overlay(
        _ lists: inout [Int64: [Int64]],
        _ owners: [Int64: ObjectState],
        _ relationship: ResolvedRelationship
    ) {
        switch relationship.storage {
        case .reference: return
        case .inverseReference(let column, _):
            for state in listed[relationship.destination] {
                let stored = state.row?.integer(at: column)
                let current = state.status == .deleted || state.status == .gone ? nil : state.reference(column)
                if stored == current { continue }
                if let stored, owners[stored] != nil { lists[stored]?.removeAll { $0 == state.rowID } }
                if let current, owners[current] != nil { lists[current, default: []].append(state.rowID) }
            }
        case .joinTable(let join, let isSource):
            for (pair, isInsertion) in links.pairs[join] ?? [:] {
                let own = isSource ? pair.source : pair.target
                let other = isSource ? pair.target : pair.source
                guard owners[own] != nil else { continue }
                if isInsertion { lists[own, default: []].append(other) } else { lists[own]?.removeAll { $0 == other } }
            }
        }
    }
}
#endif
