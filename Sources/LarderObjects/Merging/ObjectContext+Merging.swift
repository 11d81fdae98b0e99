#if Objects
internal import LarderCore

extension ObjectContext {
    /// Merges the changes made by a save into this context.
    ///
    /// Changed objects receive their new values, and deleted objects are removed.
    func merge(_ changes: RowChanges) {
        exclusively {
            guard source != nil else { return }
            if changes.isComplete {
                for table in tables {
                    for state in table.states {
                        state.status = .gone
                        release(state)
                    }
                    table.removeAll()
                }
                return
            }
            for (table, rows) in zip(tables, changes.entities) {
                for row in rows.deleted {
                    guard let state = table.remove(row) else { continue }
                    state.status = .gone
                    release(state)
                }
            }
            forgetLists(changes)
            refresh(changes)
        }
    }

    /// Rereads the changed rows of this context's objects, with one query per entity.
    private func refresh(_ changes: RowChanges) {
        for (entity, rows) in zip(model.entities, changes.entities) where !rows.updated.isEmpty {
            let table = tables[entity.index]
            let known = table.isEmpty ? [] : rows.updated.map(\.row).filter { table[$0] != nil }
            guard !known.isEmpty else { continue }
            let key = ResolvedEntity.keyColumn.quotedIdentifier
            do {
                _ = try register(
                    entity,
                    "\(entity.query) WHERE t.\(key) IN (SELECT value FROM json_each(?))",
                    [Self.list(known)]
                )
            } catch {
                report(
                    LarderIssue(
                        .readFailed,
                        "The view could not read the saved changes of \(entity.name), so its objects keep their old values. "
                            + "Resolve the underlying error, then save again.",
                        underlying: error
                    )
                )
            }
        }
    }

    /// Discards the cached related ids of to-many relationships that may have changed.
    private func forgetLists(_ changes: RowChanges) {
        let written = changes.entities.map { rows in
            var places = Set<Int>()
            var written = ColumnSet()
            for update in rows.updated where places.insert(update.columns).inserted {
                written.formUnion(changes.columns[update.columns])
            }
            return written
        }
        for entity in model.entities where !tables[entity.index].isEmpty {
            let outdated = entity.relationships.filter { relationship in
                let rows = changes.entities[relationship.destination]
                let hasAppeared = !rows.inserted.isEmpty || !rows.deleted.isEmpty
                switch relationship.storage {
                case .reference: return false
                case .joinTable(let join, _): return changes.links[join.name] != nil || hasAppeared
                case .inverseReference(let column, let position):
                    return hasAppeared || written[relationship.destination].contains(column)
                        || position.map { written[relationship.destination].contains($0) } ?? false
                }
            }
            guard !outdated.isEmpty else { continue }
            for state in tables[entity.index].states where !state.lists.isEmpty {
                for relationship in outdated { state.lists[relationship.index] = nil }
            }
        }
    }
}
#endif
