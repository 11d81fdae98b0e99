#if Objects
internal import GRDB
internal import LarderCore

extension InspectedSource {
    /// The maximum number of pages of a file whose tables are measured, because SQLite reads every page.
    private static var mostMeasuredPages: Int64 { 65_536 }

    /// Returns the entities with their columns, relationships, indexes, object counts and sizes.
    func tables() throws -> [InspectionTable] {
        try readingSchema { statements, _, schema in
            let sizes = try sizes(statements)
            return try schema.entities.map { entity in
                let count = try statements.integers("SELECT count(*) FROM main.\(entity.name.quotedIdentifier)").first
                return table(entity, schema, count: count.map { Int($0) }, sizes)
            }
        }
    }

    private func table(
        _ entity: SchemaDescription.Entity,
        _ schema: SchemaDescription,
        count: Int?,
        _ sizes: [String: Int]
    ) -> InspectionTable {
        let groups = entity.unique.map { ("unique", $0) } + entity.indexes.map { ("index", $0) }
        return InspectionTable(
            name: entity.name,
            count: count,
            columns: entity.attributes.map { column in
                InspectionColumn(
                    column.name,
                    type: column.swiftType + (column.isRequired ? "" : "?"),
                    isSortable: column.isSortable
                )
            },
            relationships: entity.relationships.map { relationship in
                InspectionRelationship(
                    relationship.name,
                    destination: relationship.destination,
                    isToMany: relationship.cardinality == "many",
                    isOrdered: relationship.isOrdered,
                    inverse: relationship.inverse,
                    deletionRule: relationship.deleteRule ?? "nullify"
                )
            },
            indexes: groups.map { kind, columns in
                let name = SchemaStatements.indexName(entity.name, kind, columns)
                return InspectionIndex(name, columns: columns, isUnique: kind == "unique", bytes: sizes[name])
            },
            bytes: sizes[entity.name]
        )
    }

    /// Returns the sizes of all tables and indexes in bytes, or none if SQLite can't measure them or the file is large.
    private func sizes(_ statements: StatementCache) throws -> [String: Int] {
        guard let pages = try statements.integers("PRAGMA page_count").first, pages <= Self.mostMeasuredPages else {
            return [:]
        }
        do {
            let sql = "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"
            let rows = try statements.rows(sql) { row -> (String, Int)? in
                guard case .text(let name) = row.value(at: 0) else { return nil }
                return (name, Int(row.integer(at: 1)))
            }
            return Dictionary(rows.compactMap(\.self), uniquingKeysWith: { first, _ in first })
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // This SQLite was built without the table dbstat.
            return [:]
        }
    }
}
#endif
