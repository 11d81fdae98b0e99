#if Objects
extension ObjectContext {
    /// Resolves conflicts between objects that received new unique values and stored objects that already have these values.
    ///
    /// The stored objects are merged into the objects in `states` and then deleted.
    ///
    /// An object may conflict with several stored objects, each through a different unique constraint. If two objects in `states` conflict
    /// with each other, both are kept, and the save throws an error.
    ///
    /// - Parameters:
    ///   - states: The objects that received new values.
    ///   - present: A unique constraint's columns and the stored objects that were already fetched for that constraint, or `nil`.
    /// - Returns: The ids of the deleted objects.
    /// - Throws: The error that SQLite reports. Rolling back the transaction also rolls back the merge.
    func mergeConflicts(
        _ states: [ObjectState],
        present: (columns: [Int], states: [ObjectState])? = nil
    ) throws -> [ObjectID] { try during("") { try merging(states, present) } }

    private func merging(
        _ states: [ObjectState],
        _ present: (columns: [Int], states: [ObjectState])?
    ) throws -> [ObjectID] {
        guard let entity = states.first?.entity, !entity.uniqueConstraints.isEmpty else { return [] }
        let touched = Set(states.map(\.rowID))
        var merged: [ObjectID] = []
        for group in entity.uniqueConstraints {
            // Setting a one-to-one relationship removes the previous object automatically.
            if group.count == 1, case .reference = entity.columns[group[0]].role { continue }
            var winners: [[ColumnValue]: ObjectState] = [:]
            for state in states where state.status == .inserted || state.status == .stored {
                guard state.status == .inserted || group.contains(where: { state.isChanged($0) }) else { continue }
                let values = group.map(state.column)
                if !values.contains(where: \.isNull) { winners[values] = state }
            }
            guard !winners.isEmpty else { continue }
            let values = Array(winners.keys)
            let others =
                if let present, Set(present.columns) == Set(group) {
                    having(values, in: group, present.states + listed[entity.index])
                } else {
                    try self.states(entity, group, values)
                }
            for other in others where !touched.contains(other.rowID) {
                guard let winner = winners[group.map(other.column)] else { continue }
                try merge(other, into: winner)
                merged.append(other.objectID)
            }
        }
        return merged
    }

    /// Returns the saved and unsaved objects of `entity` whose current values in the columns `group` equal any row of `values`.
    func states(_ entity: ResolvedEntity, _ group: [Int], _ values: [[ColumnValue]]) throws -> [ObjectState] {
        having(values, in: group, try stored(entity, group, values) + listed[entity.index])
    }

    /// Returns the objects in `states` whose current values in the columns `group` equal any row of `values`.
    private func having(_ values: [[ColumnValue]], in group: [Int], _ states: [ObjectState]) -> [ObjectState] {
        if states.isEmpty { return [] }
        let wanted = Set(values)
        var found: [ObjectState] = []
        var seen: Set<Int64> = []
        for state in states
        where (state.status == .stored || state.status == .inserted) && wanted.contains(group.map(state.column)) {
            if seen.insert(state.rowID).inserted { found.append(state) }
        }
        return found
    }

    /// Returns the saved and unsaved objects of a class whose current values in the columns `group` equal `values`, sorted by id.
    func objects<T: Object>(_ type: T.Type, _ group: [Int], _ values: [ColumnValue]) throws -> [T] {
        let entity = try entity(of: type)
        let found = try during(Self.name("upsert", type, nil)) { try states(entity, group, [values]) }
        return instances(type, of: found.count > 1 ? found.sorted { $0.rowID < $1.rowID } : found)
    }

    /// Fetches from the database the objects of `entity` whose values in the columns `group` equal any row of `values`.
    private func stored(
        _ entity: ResolvedEntity,
        _ group: [Int],
        _ values: [[ColumnValue]]
    ) throws -> [ObjectState] {
        let names = group.map { "t.\(entity.columns[$0].quotedName)" }
        if values.count == 1 {
            // A plain condition uses the index without building a table of the values first.
            let condition = names.map { "\($0) = ?" }.joined(separator: " AND ")
            return try register(entity, "\(entity.query) WHERE \(condition)", values[0])
        }
        let columns = names.joined(separator: ", ")
        let mark = "(" + group.map { _ in "?" }.joined(separator: ", ") + ")"
        // SQLite allows at most 32,766 parameters.
        let size = 30_000 / group.count
        var found: [ObjectState] = []
        for start in stride(from: 0, to: values.count, by: size) {
            let part = values[start..<min(start + size, values.count)]
            let marks = part.map { _ in mark }.joined(separator: ", ")
            found += try register(
                entity,
                "\(entity.query) WHERE (\(columns)) IN (VALUES \(marks))",
                part.flatMap { $0 }
            )
        }
        return found
    }

    /// Redirects all references from `loser` to `winner`, and deletes `loser`.
    ///
    /// The values of `winner` don't change.
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
