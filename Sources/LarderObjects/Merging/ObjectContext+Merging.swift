#if Objects
internal import LarderCore

extension ObjectContext {
    /// Takes over what a save changed: objects get their new values, and the ones that are gone are let go.
    func merge(_ changes: ChangeSet) {
        exclusively {
            guard source != nil else { return }
            if changes.isComplete {
                for table in tables { for entry in table.values { entry.state.status = .gone } }
                tables = Array(repeating: [:], count: tables.count)
                return
            }
            for id in changes.deleted {
                guard let entity = model.entity(named: id.entityName) else { continue }
                tables[entity.index].removeValue(forKey: id.rowID)?.state.status = .gone
            }
            forgetLists(changes)
            refresh(changes)
        }
    }

    /// Reads the rows of objects again that somebody may be holding.
    ///
    /// One query for each entity.
    private func refresh(_ changes: ChangeSet) {
        let updated = Dictionary(grouping: changes.updated.keys, by: \.entityName)
        for (name, ids) in updated {
            guard let entity = model.entity(named: name) else { continue }
            let known = ids.map(\.rowID).filter { tables[entity.index][$0] != nil }
            guard !known.isEmpty else { continue }
            let key = ResolvedEntity.keyColumn.quotedIdentifier
            do {
                _ = try query(
                    "SELECT \(Self.selection(entity, alias: "t")) FROM \(entity.table) AS t WHERE t.\(key) IN (SELECT value FROM json_each(?))",
                    [Self.list(known)]
                ) { register(entity, $0.integer(at: 0), $0.packedRow(from: 1, count: entity.columns.count)) }
            } catch {
                report(
                    LarderIssue(
                        .readFailed,
                        "The view could not read what was saved in \(name), and keeps the earlier values until it is.",
                        underlying: error
                    )
                )
            }
        }
    }

    /// Forgets what relationships to many led to, where that may have changed.
    private func forgetLists(_ changes: ChangeSet) {
        let appeared = Set(changes.inserted.map(\.entityName)).union(changes.deleted.map(\.entityName))
        var written: [String: Set<String>] = [:]
        for (id, properties) in changes.updated { written[id.entityName, default: []].formUnion(properties) }
        for entity in model.entities where !tables[entity.index].isEmpty {
            let outdated = entity.relationships.filter { relationship in
                let destination = model.entities[relationship.destination]
                switch relationship.storage {
                case .reference: return false
                case .joinTable(let join, _):
                    return changes.joined.contains(join.name) || appeared.contains(destination.name)
                case .inverseReference(let column, let position):
                    if appeared.contains(destination.name) { return true }
                    let names = written[destination.name] ?? []
                    return names.contains(destination.columns[column].name)
                        || position.map { names.contains(destination.columns[$0].name) } ?? false
                }
            }
            guard !outdated.isEmpty else { continue }
            for entry in tables[entity.index].values where !entry.state.lists.isEmpty {
                for relationship in outdated { entry.state.lists[relationship.index] = nil }
            }
        }
    }
}
#endif
