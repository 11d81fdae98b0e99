#if Objects
extension ObjectContext {
    /// Sets the related objects of a relationship, in order.
    ///
    /// The objects must belong to this context. If reading the database throws an error, nothing is changed.
    func setTargets(of state: ObjectState, _ relationship: ResolvedRelationship, _ ids: [Int64]) throws {
        switch relationship.storage {
        case .reference(let column): try setReference(of: state, relationship, column, ids.first)
        case .inverseReference(let column, let position): try setInverse(of: state, relationship, column, position, ids)
        case .joinTable(let join, let isSource): try setJoined(of: state, relationship, join, isSource, ids)
        }
    }

    private func setReference(
        of state: ObjectState,
        _ relationship: ResolvedRelationship,
        _ column: Int,
        _ id: Int64?
    ) throws {
        let old = state.reference(column)
        guard old != id else { return }
        let destination = model.entities[relationship.destination]
        let inverse = model.inverse(of: relationship)
        guard case .inverseReference(_, let position) = inverse.storage else { return }
        var displaced: [ObjectState] = []
        let owner = try id.flatMap { try entries(destination, [$0]).first }
        if let owner {
            // An ordered inverse must be read to append to it, and a to-one inverse must be read to remove its previous object.
            if inverse.isOrdered || !inverse.isToMany {
                let list = try list(of: owner, inverse)
                if !inverse.isToMany { displaced = try entries(state.entity, list.filter { $0 != state.rowID }) }
            }
        }
        for other in displaced {
            detach(other, column, nil)
            if let owner { remove(other.rowID, from: owner, inverse) }
        }
        if let old, let earlier = tables[destination.index][old] { remove(state.rowID, from: earlier, inverse) }
        if let position { state.set(position, .null) }
        state.set(column, id.map { .integer($0) } ?? .null)
        guard let owner else { return }
        if owner.status == .inserted { _ = try list(of: owner, inverse) }
        append(state.rowID, to: owner, inverse)
    }

    private func setInverse(
        of state: ObjectState,
        _ relationship: ResolvedRelationship,
        _ column: Int,
        _ position: Int?,
        _ ids: [Int64]
    ) throws {
        let old = try list(of: state, relationship)
        let destination = model.entities[relationship.destination]
        let ids = relationship.isToMany ? ids.withoutRepetitions() : Array(ids.prefix(1))
        let kept = Set(ids)
        let removed = try entries(destination, old.filter { !kept.contains($0) })
        let known = Set(old)
        let added = try entries(destination, ids.filter { !known.contains($0) })
        for entry in removed { detach(entry, column, position) }
        for entry in added {
            if let earlier = entry.reference(column), let owner = tables[state.entity.index][earlier] {
                remove(entry.rowID, from: owner, relationship)
            }
            if let position { entry.set(position, .null) }
            entry.set(column, .integer(state.rowID))
        }
        replaceList(of: state, relationship, ids)
        if relationship.isOrdered, old != ids { markOrdered(state, relationship) }
    }

    private func setJoined(
        of state: ObjectState,
        _ relationship: ResolvedRelationship,
        _ join: JoinTable,
        _ isSource: Bool,
        _ ids: [Int64]
    ) throws {
        let old = try list(of: state, relationship)
        let inverse = model.inverse(of: relationship)
        let destination = model.entities[relationship.destination]
        let ids = ids.withoutRepetitions()
        guard old != ids else { return }
        let kept = Set(ids)
        let known = Set(old)
        let removed = old.filter { !kept.contains($0) }
        let added = try entries(destination, ids.filter { !known.contains($0) })
        if inverse.isOrdered { for entry in added { _ = try list(of: entry, inverse) } }
        for id in removed {
            links.remove(join.pair(own: state.rowID, other: id, isSource: isSource), from: join)
            if let other = tables[destination.index][id] { remove(state.rowID, from: other, inverse) }
        }
        for entry in added {
            links.add(join.pair(own: state.rowID, other: entry.rowID, isSource: isSource), to: join)
            if entry.status == .inserted { _ = try list(of: entry, inverse) }
            append(state.rowID, to: entry, inverse)
            list(entry)
        }
        replaceList(of: state, relationship, ids)
        if relationship.isOrdered { markOrdered(state, relationship) }
        list(state)
    }

    private func detach(_ state: ObjectState, _ column: Int, _ position: Int?) {
        state.set(column, .null)
        if let position { state.set(position, .null) }
    }

    private func replaceList(of state: ObjectState, _ relationship: ResolvedRelationship, _ ids: [Int64]) {
        if state.lists.isEmpty { state.lists = Array(repeating: nil, count: state.entity.relationships.count) }
        state.lists[relationship.index] = ids
    }

    /// Removes an object id from a relationship of `owner` if the relationship's ids are loaded.
    func remove(_ id: Int64, from owner: ObjectState, _ relationship: ResolvedRelationship) {
        guard !owner.lists.isEmpty else { return }
        owner.lists[relationship.index]?.removeAll { $0 == id }
    }

    /// Appends an object id to a relationship of `owner` if the relationship's ids are loaded.
    private func append(_ id: Int64, to owner: ObjectState, _ relationship: ResolvedRelationship) {
        guard !owner.lists.isEmpty, owner.lists[relationship.index] != nil else { return }
        owner.lists[relationship.index]?.append(id)
        if relationship.isOrdered { markOrdered(owner, relationship) }
    }

    private func markOrdered(_ owner: ObjectState, _ relationship: ResolvedRelationship) {
        links.orderedLists.insert(
            LinkChanges.OrderedList(entity: owner.entity.index, rowID: owner.rowID, relationship: relationship.index)
        )
        list(owner)
    }
}

extension [Int64] {
    fileprivate func withoutRepetitions() -> [Int64] {
        var seen: Set<Int64> = []
        return filter { seen.insert($0).inserted }
    }
}
#endif
