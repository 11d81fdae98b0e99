#if Objects
internal import LarderCore

extension ObjectContext {
    /// Merges the changes made by a save into this context.
    ///
    /// Changed objects receive their new values, and deleted objects are removed. The same row may occur several times in the changes. The
    /// lists are notified by ``updateListsAfterMerge()``.
    func merge(_ changes: RowChanges) {
        exclusively {
            guard source != nil else { return }
            noteUnlisted(changes)
            if changes.isComplete { return refreshAll() }
            for (table, rows) in zip(tables, changes.entities) { for row in rows.deleted { remove(row, from: table) } }
            forgetLists(changes)
            readUnread()
            refresh(changes)
        }
    }

    /// Updates the lists after all merges since the last call.
    ///
    /// The caller must be on the view's queue.
    func updateListsAfterMerge() {
        let changes = exclusively { () -> RowChanges? in
            defer { unlisted = nil }
            return unlisted
        }
        if let changes { updateLists(changes) }
    }

    /// Notes changes of which the lists must be notified.
    private func noteUnlisted(_ changes: RowChanges) {
        if unlisted == nil { unlisted = changes } else { unlisted?.add(changes) }
    }

    /// Reads the rows again that could not be read when their changes were merged.
    ///
    /// The caller must have exclusive access to the context.
    func readUnread() {
        for (entity, rows) in unread {
            let known = rows.filter { tables[entity][$0] != nil }
            unread[entity] = known.isEmpty ? nil : known
            guard !known.isEmpty, refreshOrRemove(model.entities[entity], Array(known)) else { continue }
            // The lists were notified of the changes while the objects had their old values. Which columns have changed is not known, as
            // for a row that was replaced.
            var changes = RowChanges(entities: model.entities.count)
            for row in known { changes.insert(entity, row) }
            noteUnlisted(changes)
        }
    }

    private func remove(_ row: Int64, from table: ObjectTable) {
        guard let state = table.remove(row) else { return }
        state.status = .gone
        release(state)
    }

    /// Rereads all objects of this context, and removes those whose rows no longer exist.
    private func refreshAll() {
        for entity in model.entities {
            let states = tables[entity.index].states
            for state in states where !state.lists.isEmpty { state.lists = [] }
            for start in stride(from: 0, to: states.count, by: Self.refreshLimit) {
                refreshOrRemove(entity, states[start..<min(start + Self.refreshLimit, states.count)].map(\.rowID))
            }
        }
    }

    /// Rereads rows of this context's objects, and removes the objects whose rows no longer exist.
    ///
    /// - Returns: `false` if the rows can't be read.
    @discardableResult
    private func refreshOrRemove(_ entity: ResolvedEntity, _ rows: [Int64]) -> Bool {
        guard let found = refresh(entity, rows) else { return false }
        let present = RowIDSet(found.map(\.rowID))
        for row in rows where !present.contains(row) { remove(row, from: tables[entity.index]) }
        return true
    }

    /// The maximum number of rows that one query of ``refreshAll()`` reads.
    private static let refreshLimit = 10_000

    /// Rereads the changed rows of this context's objects, with one query per entity.
    private func refresh(_ changes: RowChanges) {
        for (entity, rows) in zip(model.entities, changes.entities) {
            let table = tables[entity.index]
            // Another program may have replaced a row, which is recorded as an insertion.
            let known = table.isEmpty ? [] : (rows.updated.map(\.row) + rows.inserted).filter { table[$0] != nil }
            if !known.isEmpty { _ = refresh(entity, known) }
        }
    }

    /// Rereads rows of this context's objects.
    ///
    /// - Returns: The objects whose rows exist, or `nil` if the rows can't be read. The first error is reported, and the rows are read again
    ///   with the next merge or fetch.
    private func refresh(_ entity: ResolvedEntity, _ rows: [Int64]) -> [ObjectState]? {
        // A failure of the view is kept for the caller's next read.
        let kept = failure
        failure = nil
        defer { failure = kept ?? failure }
        do {
            let found = try register(
                entity,
                "\(entity.query) WHERE t.\(ResolvedEntity.quotedKeyColumn) IN (SELECT value FROM json_each(?))",
                [Self.list(rows)]
            )
            if let left = unread[entity.index]?.subtracting(rows) {
                unread[entity.index] = left.isEmpty ? nil : left
            }
            return found
        } catch {
            let isFirst = unread.isEmpty
            unread[entity.index, default: []].formUnion(rows)
            guard isFirst else { return nil }
            report(
                LarderIssue(
                    .readFailed,
                    "The view could not read the saved changes of \(entity.name), so its objects keep their old values until they can be "
                        + "read. Resolve the underlying error.",
                    underlying: error
                )
            )
            return nil
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
