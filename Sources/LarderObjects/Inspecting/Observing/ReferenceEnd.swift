#if Objects
/// An object to which the references of changed objects lead, so that its related objects have changed too.
struct ReferenceEnd: Hashable {
    let table: String
    let key: Int64
    /// The inverse relationship.
    let column: String

    /// Returns the objects to which the changed references of a group lead now.
    ///
    /// The objects to which references led before a save are unknown, because saves are recorded without old values by default.
    ///
    /// - Parameters:
    ///   - group: Changed objects of one entity.
    ///   - schema: The schema of the file.
    ///   - statements: The connection.
    ///   - limit: The maximum number of objects for each relationship.
    /// - Returns: The objects, none of which is in the list twice for the same range of ids.
    /// - Throws: The error that SQLite reports.
    static func ends(
        of group: SavedChanges.Objects,
        _ schema: SchemaDescription,
        _ statements: StatementCache,
        limit: Int
    ) throws -> [ReferenceEnd] {
        guard group.kind != .deleted, let entity = schema.entity(group.entity) else { return [] }
        var ends: [ReferenceEnd] = []
        for relationship in entity.relationships {
            guard entity.column(relationship.name)?.format == "reference",
                schema.entity(relationship.destination) != nil
            else { continue }
            // Without a list of changed columns, each may have changed.
            if group.kind == .updated, let changed = group.properties, !changed.contains(relationship.name) { continue }
            var translator = FilterTranslator(schema)
            let source = translator.source(entity)
            let column = source.column(relationship.name)
            let sql =
                "SELECT DISTINCT \(column) FROM \(source.table) WHERE \(source.key) BETWEEN ?1 AND ?2 AND \(column) IS NOT NULL LIMIT \(limit)"
            for ids in group.ids where ends.count < limit {
                let keys = try statements.integers(sql, [.integer(ids.lowerBound), .integer(ids.upperBound)])
                ends += keys.map {
                    ReferenceEnd(table: relationship.destination, key: $0, column: relationship.inverse)
                }
            }
        }
        return ends
    }
}
#endif
