#if Objects
extension ObjectContext {
    /// Marks an object as deleted, and everything that goes with it; the rows go with the next save.
    ///
    /// An object that denies it is found by the save, so that what denies may be deleted later in the same work.
    func delete(_ first: ObjectState) throws {
        var waiting = [first]
        while let state = waiting.popLast() {
            guard state.status == .stored || state.status == .inserted else { continue }
            // All lists are read while the object is still among its siblings, so that one query serves them all.
            var related: [[Int64]] = []
            for relationship in state.entity.relationships { related.append(try list(of: state, relationship)) }
            for (relationship, ids) in zip(state.entity.relationships, related) where !ids.isEmpty {
                switch relationship.deleteRule {
                case .cascade:
                    waiting += try entries(model.entities[relationship.destination], ids)
                    try release(state, relationship, ids)
                case .nullify: try release(state, relationship, ids)
                case .deny: break
                }
            }
            let wasStored = state.status == .stored
            state.status = wasStored ? .deleted : .gone
            if !wasStored { remove(state) }
            list(state)
        }
    }

    /// Takes a state out of its table; its instance lives as long as its holders want.
    func remove(_ state: ObjectState) {
        if tables[state.entity.index].remove(state.rowID) != nil { release(state) }
    }

    /// Undoes the links of one relationship of an object that goes.
    private func release(_ state: ObjectState, _ relationship: ResolvedRelationship, _ ids: [Int64]) throws {
        guard case .reference = relationship.storage else {
            try setTargets(of: state, relationship, [])
            return
        }
        // Its own reference goes with its row; only the other side has to know.
        let inverse = model.inverse(of: relationship)
        for id in ids {
            guard let owner = tables[relationship.destination][id] else { continue }
            remove(state.rowID, from: owner, inverse)
        }
    }

    /// What keeps objects from being deleted.
    func denials() throws -> [String] {
        var problems: [String] = []
        for states in listed {
            for state in states where state.status == .deleted {
                for relationship in state.entity.relationships where relationship.deleteRule == .deny {
                    let destination = relationship.destination
                    let remaining = try list(of: state, relationship).filter { id in
                        tables[destination][id].map { $0.status == .stored || $0.status == .inserted }
                            ?? true
                    }
                    guard !remaining.isEmpty else { continue }
                    let others = remaining.count == 1 ? "an object" : "\(remaining.count) objects"
                    problems.append(
                        "\(state.objectID) can't be deleted while its \(relationship.name) has \(others): delete or move them first."
                    )
                }
            }
        }
        return problems
    }
}
#endif
