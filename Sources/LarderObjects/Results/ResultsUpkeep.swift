#if Objects
/// The upkeep of a list, which reads only what a save may have changed.
///
/// All queries of a call must read the same snapshot of the database.
struct ResultsUpkeep: Sendable {
    let plan: ResultsPlan
    let queries: QueryCounter

    /// The number of changed objects up to which a list is never read again as a whole.
    private static let few = 64

    /// Returns the list.
    func list(_ statements: StatementCache) throws -> ResultsWindow {
        var list = ResultsWindow(plan)
        _ = list.rebuild(try keys(plan.all(limit: list.wanted), statements)) { _ in false }
        return list
    }

    /// Updates a list after a save.
    ///
    /// The list may contain some or all of the changes already, and the changes may be those of several saves.
    ///
    /// - Returns: The difference. Its updates contain the changed objects that stay in the list, whichever attributes changed. If the call
    ///   throws an error, the list is unchanged.
    func update(
        _ list: inout ResultsWindow,
        _ changes: RowChanges,
        _ statements: StatementCache
    ) throws -> IndexDifference {
        let own = changes.entities[plan.entity.index]
        switch plan.dependencies.effect(of: changes, on: plan.entity.index) {
        case .none: return try update(&list, [], own, statements)
        case .ids(let ids) where ids.count <= max(Self.few, list.index.count / 4):
            return try update(&list, ids, own, statements)
        case .ids, .again: return try readAgain(&list, changes, statements)
        }
    }

    /// Updates a list with the objects that may enter, leave or move, and with the other changed objects.
    private func update(
        _ list: inout ResultsWindow,
        _ ids: [Int64],
        _ own: RowChanges.Rows,
        _ statements: StatementCache
    ) throws -> IndexDifference {
        let found = try ids.isEmpty ? [] : keys(plan.objects(ids), statements)
        let places = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        // The changes of several saves may contain a row more than once.
        let asked = Set(ids)
        let others = Set(own.updated.map(\.row)).subtracting(asked)
        let rows =
            asked.map { ResultsIndex.Row(id: $0, key: places[$0]) }
            + others.compactMap { id in list.index.key(of: id).map { ResultsIndex.Row(id: id, key: $0) } }
        var updated = list
        let difference = try updated.apply(rows) { last, count in try more(behind: last, count, statements) }
        list = updated
        return difference
    }

    /// Updates a list after a save by reading it as a whole.
    func readAgain(
        _ list: inout ResultsWindow,
        _ changes: RowChanges,
        _ statements: StatementCache
    ) throws -> IndexDifference {
        let own = changes.entities[plan.entity.index]
        // A program may have replaced a row by one with the same id, which is recorded as inserted.
        let updated = RowIDSet(own.updated.map(\.row) + own.inserted)
        return list.rebuild(try keys(plan.all(limit: list.wanted), statements)) { id in
            changes.isComplete || updated.contains(id)
        }
    }

    /// Returns up to `count` keys behind a key of the list, or the first keys if the key is `nil`.
    private func more(behind key: SortKey?, _ count: Int, _ statements: StatementCache) throws -> [SortKey] {
        guard let key else { return try keys(plan.all(limit: count), statements) }
        var found: [SortKey] = []
        for query in plan.objects(behind: key.id, key.values(plan.descending.count), limit: count)
        where found.count < count {
            found += try keys(query, statements)
        }
        return Array(found.prefix(count))
    }

    private func keys(_ query: ResultsPlan.Query, _ statements: StatementCache) throws -> [SortKey] {
        queries.count(query.sql)
        let columns = 1..<plan.descending.count + 1
        return try statements.rows(query.sql, query.values) { row in
            SortKey(columns.map { row.value(at: $0) }, descending: plan.descending, id: row.integer(at: 0))
        }
    }
}
#endif
