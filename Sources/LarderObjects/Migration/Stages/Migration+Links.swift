#if Objects
internal import GRDB

extension Migration {
    /// Returns the ids of an object's related objects, in order.
    func related(
        _ id: Int64,
        _ table: RecordTable,
        _ relationship: SchemaDescription.Relationship
    ) throws -> [Int64] {
        switch table.links(relationship) {
        case .column(let column, _):
            return try ids(
                "SELECT \(column.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE objectID = ? "
                    + "AND \(column.quotedIdentifier) IS NOT NULL",
                id
            )
        case .inverse(let column, let position):
            let other = try self.table(of: relationship.destination, like: table)
            try lookUp(other.name, column)
            return try ids(
                "SELECT objectID FROM \(other.name.quotedIdentifier) WHERE \(column.quotedIdentifier) = ? "
                    + "ORDER BY \(Self.order(position))objectID",
                id
            )
        case .join(let join, let own, let other, let position):
            let name = joinName(join, isNew: table.isNew)
            // The index of the unique constraint on source and target covers lookups by source.
            if own == "target" { try lookUp(name, own) }
            return try ids(
                "SELECT \(other) FROM \(name.quotedIdentifier) WHERE \(own) = ? ORDER BY \(Self.order(position))\(other)",
                id
            )
        }
    }

    private static func order(_ position: String?) -> String {
        position.map { "\($0.quotedIdentifier) IS NULL, \($0.quotedIdentifier), " } ?? ""
    }

    private func ids(_ sql: String, _ id: Int64) throws -> [Int64] {
        try perform {
            let statement = try statements.statement(sql)
            statement.bind(id, at: 1)
            var ids: [Int64] = []
            while try statement.step() { ids.append(statement.integer(at: 0)) }
            return ids
        }
    }

    /// Sets the related objects of a migrated or inserted object.
    func link(
        _ id: Int64,
        _ table: RecordTable,
        _ relationship: SchemaDescription.Relationship,
        to ids: [Int64]
    ) throws {
        guard relationship.cardinality == "many" || ids.count <= 1 else {
            throw ObjectError(
                .invalidModel,
                "\(table.entity.name).\(relationship.name) is to-one, but \(ids.count) objects were set. Set at most one object."
            )
        }
        let isOneToOne =
            relationship.cardinality != "many" && step.to.schema.inverse(of: relationship)?.cardinality != "many"
        switch table.links(relationship) {
        case .column(let column, let position):
            try perform {
                try makeWritable(table)
                let name = table.name.quotedIdentifier
                if isOneToOne, let other = ids.first {
                    try lookUp(table.name, column)
                    try clear(column, position, of: name, where: column, is: other)
                }
                let more = position.map { ", \($0.quotedIdentifier) = NULL" } ?? ""
                try statements.run(
                    "UPDATE \(name) SET \(column.quotedIdentifier) = ?\(more) WHERE objectID = ?",
                    [ids.first.map { .integer($0) } ?? .null, .integer(id)]
                )
            }
        case .inverse(let column, let position):
            let other = try newTable(relationship.destination)
            try perform {
                try makeWritable(other)
                try lookUp(other.name, column)
                let name = other.name.quotedIdentifier
                try clear(column, position, of: name, where: column, is: id)
                for (place, related) in ids.enumerated() {
                    let more = position.map { ", \($0.quotedIdentifier) = \(place)" } ?? ""
                    try statements.run(
                        "UPDATE \(name) SET \(column.quotedIdentifier) = ?\(more) WHERE objectID = ?",
                        [.integer(id), .integer(related)]
                    )
                    // The check of references at the end of the migration does not see a row that was not found.
                    guard statements.database.changesCount == 1 else {
                        throw ObjectError(
                            .invalidObjects,
                            "\(table.entity.name).\(relationship.name) can't be set to \(relationship.destination)/\(related), because "
                                + "this object does not exist. Insert the object before you set the relationship."
                        )
                    }
                }
            }
        case .join(let join, let own, let other, let position):
            try perform {
                try copyJoin(join)
                let name = joinName(join, isNew: true)
                if own == "target" { try lookUp(name, own) }
                try statements.run("DELETE FROM \(name.quotedIdentifier) WHERE \(own) = ?", [.integer(id)])
                let columns = [own, other] + (position.map { [$0] } ?? [])
                let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
                let sql =
                    "INSERT OR IGNORE INTO \(name.quotedIdentifier) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
                for (place, related) in ids.enumerated() {
                    let values: [ColumnValue] = [.integer(id), .integer(related)]
                    try statements.run(sql, position == nil ? values : values + [.integer(Int64(place))])
                }
            }
        }
    }

    private func clear(
        _ column: String,
        _ position: String?,
        of name: String,
        where condition: String,
        is id: Int64
    ) throws {
        let more = position.map { ", \($0.quotedIdentifier) = NULL" } ?? ""
        try statements.run(
            "UPDATE \(name) SET \(column.quotedIdentifier) = NULL\(more) WHERE \(condition.quotedIdentifier) = ?",
            [.integer(id)]
        )
    }

    /// Returns an entity's table from the same model version, old or new, as `table`.
    private func table(of entity: String, like table: RecordTable) throws -> RecordTable {
        table.isNew ? try newTable(entity) : try oldTable(entity)
    }

    /// Returns the current name of the old or the new version of a join table during the migration.
    private func joinName(_ join: String, isNew: Bool) -> String {
        guard isNew else { return tables.tables.name(of: join) }
        return copiedJoins.contains(join) ? StepStatements.rebuilt(join) : join
    }

    /// Copies a join table before the stage first writes to it, because old and new objects share the table.
    private func copyJoin(_ join: String) throws {
        guard step.joins.contains(where: { $0.new == join }), copiedJoins.insert(join).inserted else { return }
        let name = StepStatements.rebuilt(join)
        guard let table = tables.make.joinTables().first(where: { $0.table.name == join })?.table else { return }
        try statements.run(SchemaStatements.table(table, named: name))
        let columns = SchemaStatements.columns(table).joined(separator: ", ")
        try statements.run(
            "INSERT INTO \(name.quotedIdentifier) (\(columns)) SELECT \(columns) FROM \(join.quotedIdentifier)"
        )
    }

    /// Creates a temporary index on a column if none exists.
    private func lookUp(_ table: String, _ column: String) throws {
        let key = "\(table)\0\(column)"
        guard lookups[key] == nil else { return }
        try perform {
            let name = "larder_lookup_\(lookups.count + 1)"
            try statements.run(
                "CREATE INDEX \(name) ON \(table.quotedIdentifier) (\(column.quotedIdentifier))"
            )
            lookups[key] = name
        }
    }
}
#endif
