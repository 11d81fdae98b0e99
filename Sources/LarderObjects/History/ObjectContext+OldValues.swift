#if Objects
extension ObjectContext {
    /// Begins to note old values, unless a part of the transaction has begun already.
    func beginNotingValues(_ statements: StatementCache) throws {
        guard oldValues == nil, let historyColumns else { return }
        oldValues = OldValues(historyColumns, try StoredHistoryPolicy.read(statements))
    }

    /// Notes the values of objects before SQL changes or deletes them.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects.
    ///   - changed: The columns to be changed, or `nil` if the objects are to be deleted.
    ///   - condition: The SQL of the condition that the objects meet.
    ///   - values: The values of the condition's parameters.
    /// - Throws: The error that SQLite reports.
    func noteValues(
        of entity: ResolvedEntity,
        _ changed: ColumnSet?,
        where condition: String,
        _ values: [ColumnValue]
    ) throws {
        try openSource().read { statements in
            try beginNotingValues(statements)
            let columns = changed.map { oldValues?.noted(entity.index, $0) } ?? oldValues?.noted(entity.index)
            guard let columns, !columns.isEmpty else { return }
            let names = [ResolvedEntity.quotedKeyColumn] + columns.map { entity.columns[$0].quotedName }
            let sql = "SELECT \(names.joined(separator: ", ")) FROM \(entity.table) WHERE \(condition)"
            try oldValues?.note(entity.index, columns, sql, values, statements)
        }
    }
}
#endif
