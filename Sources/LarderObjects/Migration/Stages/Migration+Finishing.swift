#if Objects
extension Migration {
    /// Performs the operations that are deferred to the end of the stage, such as merges and deletions.
    ///
    /// The tables must already match the new version.
    func finish() throws {
        try replaceCopies()
        if hasMerges { try moveReferences() }
        if hasRemovals {
            let entities = try statements.rows("SELECT DISTINCT entity FROM \(Self.removals) ORDER BY entity") {
                $0.value(at: 0)
            }
            let queries = entities.compactMap { entity -> (entity: String, query: String)? in
                guard case .text(let name) = entity else { return nil }
                // A removed object may already be missing, for example after a merge.
                return (
                    name,
                    "SELECT objectID AS id FROM \(name.quotedIdentifier) WHERE objectID IN "
                        + "(SELECT id FROM \(Self.removals) WHERE entity = \(ColumnValue.text(name).sqlLiteral))"
                )
            }
            let removal = RowRemoval(
                step.to.schema,
                statements,
                failure: (
                    .migrationFailed,
                    "The stage from \(fromVersion) to \(toVersion) deleted objects that can't be deleted, so the migration was "
                        + "rolled back. Correct the stage.", "Change the relationship in the stage"
                )
            )
            removed = try removal.remove(queries)
            try statements.run("DROP TABLE \(Self.removals)")
        }
        if let nextID { try statements.run("UPDATE larder_sequence SET next = ?", [.integer(nextID)]) }
    }

    /// The data losses to report for the objects that the stage deleted, one per entity.
    var losses: [MigrationLoss] {
        removed.sorted { $0.key < $1.key }.map { entity, count in
            MigrationLoss(
                kind: .entity,
                entity: entity,
                property: nil,
                count: count,
                objectIDs: [],
                isAllowed: true,
                remedy: ""
            )
        }
    }

    /// Replaces each table whose schema did not change with the copy that the stage modified, if any.
    private func replaceCopies() throws {
        for name in lookups.values.sorted() { try statements.run("DROP INDEX IF EXISTS \(name)") }
        for entity in step.entities where entity.work == .keep {
            guard let table = newTables[entity.new.name], table.isWritable else { continue }
            let kept = tables.keptIndexes(entity)
            try replace(entity.new.name, with: table.name)
            table.name = entity.new.name
            for (name, sql) in SchemaStatements.indexes(entity.new) where kept.contains(name) {
                try statements.run(sql)
            }
        }
        for (join, sql) in tables.make.joinTables() where copiedJoins.contains(join.name) {
            try replace(join.name, with: StepStatements.rebuilt(join.name))
            // The step creates the indexes of renamed tables.
            guard step.joins.contains(where: { $0.new == join.name && $0.old == $0.new }) else { continue }
            for statement in sql.dropFirst() { try statements.run(statement) }
        }
    }

    private func replace(_ name: String, with copy: String) throws {
        try statements.run("DROP TABLE \(name.quotedIdentifier)")
        try statements.run("ALTER TABLE \(copy.quotedIdentifier) RENAME TO \(name.quotedIdentifier)")
    }

    /// Redirects references from each merged object to the object that replaces it.
    private func moveReferences() throws {
        let schema = step.to.schema
        func survivor(_ column: String) -> String {
            "(SELECT survivor FROM \(Self.merges) WHERE larder_merges.id = \(column))"
        }
        let merged = "IN (SELECT id FROM \(Self.merges))"
        for entity in schema.entities {
            let table = entity.name.quotedIdentifier
            for column in entity.columns where column.format == "reference" {
                let name = column.name.quotedIdentifier
                if entity.unique.contains([column.name]) {
                    // Only one object may refer to the survivor: preferably the one that already does, or the one with the smallest id.
                    let position = column.name + ".position"
                    let more = entity.column(position) == nil ? "" : ", \(position.quotedIdentifier) = NULL"
                    try statements.run(
                        "UPDATE \(table) SET \(name) = NULL\(more) WHERE objectID IN (SELECT objectID FROM (SELECT objectID, "
                            + "row_number() OVER (PARTITION BY coalesce(\(survivor(name)), \(name)) "
                            + "ORDER BY \(name) \(merged), objectID) AS n FROM \(table) WHERE \(name) \(merged) "
                            + "OR \(name) IN (SELECT survivor FROM \(Self.merges))) WHERE n > 1)"
                    )
                }
                try statements.run("UPDATE \(table) SET \(name) = \(survivor(name)) WHERE \(name) \(merged)")
            }
        }
        for join in SchemaStatements(schema).joinTables().map(\.table) {
            for column in ["source", "target"] {
                // If the survivor already has the same link, the duplicate is deleted with the merged object.
                try statements.run(
                    "UPDATE OR IGNORE \(join.name.quotedIdentifier) SET \(column) = \(survivor(column)) WHERE \(column) \(merged)"
                )
            }
        }
        try statements.run("DROP TABLE \(Self.merges)")
    }

    /// Throws an error if an object that the stage may have changed lacks a required value or refers to a missing object.
    ///
    /// The tables and indexes must already match the new version.
    func check() throws {
        for step in step.entities {
            guard let table = newTables[step.new.name], table.isWritable else { continue }
            let entity = step.new
            let name = entity.name.quotedIdentifier
            for column in entity.columns where column.isRequired {
                try check(entity.name, column.name, "\(column.name.quotedIdentifier) IS NULL")
            }
            for relationship in entity.relationships where relationship.cardinality == "requiredOne" {
                guard case .inverse(let column, _) = table.links(relationship) else { continue }
                try check(
                    entity.name,
                    relationship.name,
                    "NOT EXISTS (SELECT 1 FROM \(relationship.destination.quotedIdentifier) AS other "
                        + "WHERE other.\(column.quotedIdentifier) = \(name).objectID)"
                )
            }
        }
        let missing = try statements.rows("PRAGMA foreign_key_check") { ($0.value(at: 0), $0.integer(at: 1)) }
        guard case (.text(let name), let id)? = missing.first else { return }
        throw failed("\(name)/\(id) refers to an object that does not exist. Set the relationship to another object.")
    }

    private func check(_ entity: String, _ property: String, _ condition: String) throws {
        let ids = try statements.integers(
            "SELECT objectID FROM \(entity.quotedIdentifier) WHERE \(condition) ORDER BY objectID LIMIT 1"
        )
        guard let id = ids.first else { return }
        throw failed("The required property \(entity)/\(id).\(property) has no value. Set it in the stage.")
    }

    private func failed(_ problem: String) -> ObjectError {
        ObjectError(
            .migrationFailed,
            "The stage from \(fromVersion) to \(toVersion) left invalid objects, so the migration was rolled back. Correct the stage.",
            problems: [problem]
        )
    }
}
#endif
