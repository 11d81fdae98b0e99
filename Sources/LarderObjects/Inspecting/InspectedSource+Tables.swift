#if Objects
internal import GRDB
internal import LarderCore

extension InspectedSource {
    /// Returns the entities with their columns, relationships, indexes, object counts and sizes.
    ///
    /// Counts and sizes that are not known soon are left out.
    func tables() throws -> [InspectionTable] {
        try querying { statements, _, schema in
            let sizes = try sizes(statements)
            let deadline = ContinuousClock.now + inspectionLimits.overview
            let counter = try statements.counter(inspectionLimits)
            return try schema.entities.map { entity in
                let count = try count(entity, counter, statements, until: deadline)
                return table(entity, schema, count: count, sizes)
            }
        }
    }

    /// Returns an entity with its columns, relationships and indexes, or `nil` if it does not exist.
    func table(named name: String) throws -> InspectionTable? {
        try readingSchema { _, _, schema in
            schema.entity(name).map { table($0, schema, count: nil, [:]) }
        }
    }

    /// Returns the number of objects of an entity, or `nil` if it is not known in time or the table is corrupt.
    private func count(
        _ entity: SchemaDescription.Entity,
        _ counter: String,
        _ statements: StatementCache,
        until deadline: ContinuousClock.Instant
    ) throws -> Int? {
        do {
            let sql = "SELECT \(counter) FROM main.\(entity.name.quotedIdentifier)"
            // A small table is counted even if the time is over.
            return try statements.interrupted(after: max(.zero, ContinuousClock.now.duration(to: deadline))) {
                try statements.integers(sql).first.map { Int($0) }
            } ?? nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            knowledge.note(error)
            return nil
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

    /// Returns the sizes of all tables and indexes in bytes, or none if SQLite can't measure them soon.
    private func sizes(_ statements: StatementCache) throws -> [String: Int] {
        do {
            // SQLite reads every page. Without the grouping by `dbstat` itself, it can be interrupted between two pages.
            let sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"
            let rows = try statements.interrupted(after: inspectionLimits.overview) {
                try statements.rows(sql) { row -> (String, Int)? in
                    guard case .text(let name) = row.value(at: 0) else { return nil }
                    return (name, Int(row.integer(at: 1)))
                }
            }
            return Dictionary((rows ?? []).compactMap(\.self), uniquingKeysWith: { first, _ in first })
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CORRUPT].contains(error.resultCode) {
            // This SQLite was built without the table dbstat, or the file is corrupt.
            knowledge.note(error)
            return [:]
        }
    }
}
#endif
