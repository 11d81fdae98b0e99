#if Objects
extension ObjectContext {
    /// Merges stored objects into those that were given one of their unique values, and deletes them.
    ///
    /// An object may clash with several, each by another uniqueness. Two of `states` that clash with each other are left to
    /// the save, which refuses them.
    ///
    /// - Returns: The ids of those that are gone.
    func mergeClashes(_ states: [ObjectState]) throws -> [ObjectID] { try during("") { try merging(states) } }

    private func merging(_ states: [ObjectState]) throws -> [ObjectID] {
        guard let entity = states.first?.entity, !entity.uniqueConstraints.isEmpty else { return [] }
        let touched = Set(states.map(\.rowID))
        var merged: [ObjectID] = []
        for group in entity.uniqueConstraints {
            // A relationship of one to one makes room by itself.
            if group.count == 1, case .reference = entity.columns[group[0]].role { continue }
            var winners: [[ColumnValue]: ObjectState] = [:]
            for state in states where state.status == .inserted || state.status == .stored {
                guard state.status == .inserted || group.contains(where: { state.isChanged($0) }) else { continue }
                let values = group.map(state.column)
                if !values.contains(where: \.isNull) { winners[values] = state }
            }
            guard !winners.isEmpty else { continue }
            for other in try self.states(entity, group, Array(winners.keys)) where !touched.contains(other.rowID) {
                guard let winner = winners[group.map(other.column)] else { continue }
                try merge(other, into: winner)
                merged.append(other.objectID)
            }
        }
        return merged
    }

    /// The objects that have one of these groups of values now, saved or not.
    func states(_ entity: ResolvedEntity, _ group: [Int], _ values: [[ColumnValue]]) throws -> [ObjectState] {
        let wanted = Set(values)
        var found: [ObjectState] = []
        var seen: Set<Int64> = []
        for state in try stored(entity, group, values) + listed[entity.index]
        where (state.status == .stored || state.status == .inserted) && wanted.contains(group.map(state.column)) {
            if seen.insert(state.rowID).inserted { found.append(state) }
        }
        return found
    }

    /// The objects in whose rows one of these groups of values is.
    private func stored(
        _ entity: ResolvedEntity,
        _ group: [Int],
        _ values: [[ColumnValue]]
    ) throws -> [ObjectState] {
        let columns = group.map { "t.\(entity.columns[$0].quotedName)" }.joined(separator: ", ")
        let mark = "(" + group.map { _ in "?" }.joined(separator: ", ") + ")"
        // SQLite takes at most 32,766 parameters.
        let size = 30_000 / group.count
        var found: [ObjectState] = []
        for start in stride(from: 0, to: values.count, by: size) {
            let part = values[start..<min(start + size, values.count)]
            let marks = part.map { _ in mark }.joined(separator: ", ")
            found += try register(
                entity,
                "SELECT \(Self.selection(entity, alias: "t")) FROM \(entity.table) AS t WHERE (\(columns)) IN (VALUES \(marks))",
                part.flatMap { $0 }
            )
        }
        return found
    }

    /// What refers to one object refers to another, which keeps its own values; then the first is deleted.
    private func merge(_ loser: ObjectState, into winner: ObjectState) throws {
        for relationship in loser.entity.relationships {
            let lost = try list(of: loser, relationship).filter { $0 != loser.rowID }
            guard !lost.isEmpty else { continue }
            let kept = try list(of: winner, relationship).filter { $0 != loser.rowID }
            if relationship.isToMany {
                let known = Set(kept)
                try setTargets(of: winner, relationship, kept + lost.filter { !known.contains($0) })
            } else if kept.isEmpty {
                try setTargets(of: winner, relationship, lost)
            }
        }
        try delete(loser)
    }
}
#endif
