#if Objects
import LarderCore

extension ObjectContext {
    /// Marks an object and, according to the delete rules, related objects as deleted.
    ///
    /// The next save deletes the rows and checks `deny` rules, so the objects that prevent the deletion can still be deleted before the
    /// save.
    func delete(_ first: ObjectState) throws {
        var waiting = [first]
        while let state = waiting.popLast() {
            guard state.status == .stored || state.status == .inserted else { continue }
            // All relationships are read while the object is still in the list of its fetch group, so that one query is enough for the
            // group.
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

    /// Removes an object's state from the context and breaks the reference cycle with the object.
    func remove(_ state: ObjectState) {
        if tables[state.entity.index].remove(state.rowID) != nil { release(state) }
    }

    /// Removes a deleted object from the inverse of a relationship.
    private func release(_ state: ObjectState, _ relationship: ResolvedRelationship, _ ids: [Int64]) throws {
        guard case .reference = relationship.storage else {
            try setTargets(of: state, relationship, [])
            return
        }
        // The reference is deleted together with the row, so only the other side must be updated.
        let inverse = model.inverse(of: relationship)
        for id in ids {
            guard let owner = tables[relationship.destination][id] else { continue }
            remove(state.rowID, from: owner, inverse)
        }
    }

    /// Returns a message for each deletion that a `deny` rule prevents.
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
                    let others = counted(remaining.count, "object")
                    problems.append(
                        "\(state.objectID) can't be deleted while its relationship \(relationship.name) refers to \(others). "
                            + "Delete or reassign the related objects first."
                    )
                }
            }
        }
        return problems
    }
}
#endif
