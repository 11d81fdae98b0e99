#if Objects
/// A deletion of rows that applies the schema's delete rules.
///
/// The database's tables must match the schema.
struct RowRemoval {
    private static let doomed = "temp.larder_doomed"
    private static let isDoomed = "IN (SELECT id FROM \(doomed))"

    private let schema: SchemaDescription
    private let statements: StatementCache
    /// The code, message and remedy of the error to throw if rows can't be deleted.
    private let failure: (code: ObjectError.Code, message: String, remedy: String)

    /// Prepares deletions on a connection.
    ///
    /// - Parameters:
    ///   - schema: The schema of the tables.
    ///   - statements: The statement cache of the connection.
    ///   - failure: The code, message and remedy of the error to throw if rows can't be deleted.
    init(
        _ schema: SchemaDescription,
        _ statements: StatementCache,
        failure: (code: ObjectError.Code, message: String, remedy: String) = (
            .modelMismatch,
            "The migration was rolled back because duplicates can't be deleted. Fix the following problems and try again.",
            "Write a custom stage"
        )
    ) {
        self.schema = schema
        self.statements = statements
        self.failure = failure
    }

    /// Deletes the rows of an entity whose ids a query returns, and applies the delete rules to related rows.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - query: A query that returns one column of ids.
    /// - Returns: The number of deleted rows per entity.
    /// - Throws: ``ObjectError`` with code `modelMismatch` if a delete rule denies a deletion, or if an object would lose a required
    ///   related object. The caller must roll back the transaction.
    func remove(_ entity: String, matching query: String) throws -> [String: Int] {
        try remove([(entity, query)])
    }

    /// Deletes rows of several entities in a single operation, like ``remove(_:matching:)``.
    func remove(_ queries: [(entity: String, query: String)]) throws -> [String: Int] {
        try statements.run("DROP TABLE IF EXISTS \(Self.doomed)")
        try statements.run(
            "CREATE TABLE \(Self.doomed) (id INTEGER PRIMARY KEY, entity TEXT NOT NULL, round INTEGER NOT NULL)"
        )
        for (entity, query) in queries {
            try statements.run("INSERT OR IGNORE INTO \(Self.doomed) SELECT id, ?, 0 FROM (\(query))", [.text(entity)])
        }
        try spread()
        try checkDenials()
        try checkRequiredInverses()
        try release()
        var counts: [String: Int] = [:]
        for entity in schema.entities {
            let table = entity.name.quotedIdentifier
            let count =
                try statements.integers(
                    "SELECT count(*) FROM \(Self.doomed) WHERE entity = ?",
                    [.text(entity.name)]
                ).first ?? 0
            guard count > 0 else { continue }
            try statements.run("DELETE FROM \(table) WHERE \(ResolvedEntity.quotedKeyColumn) \(Self.isDoomed)")
            counts[entity.name] = Int(count)
        }
        try DanglingReferences.note(deleted: Self.doomed, statements)
        try statements.run("DROP TABLE \(Self.doomed)")
        return counts
    }

    /// Extends the set of rows to delete with the rows reached by cascading deletes.
    ///
    /// Each iteration follows the relationships of the rows that the previous iteration added.
    private func spread() throws {
        var round: Int64 = 0
        while try statements.integers("SELECT 1 FROM \(Self.doomed) WHERE round = ? LIMIT 1", [.integer(round)]) == [1]
        {
            for entity in schema.entities {
                for relationship in entity.relationships where relationship.deleteRule == DeleteRule.cascade.rawValue {
                    let links = links(of: relationship, of: entity)
                    try statements.run(
                        "INSERT OR IGNORE INTO \(Self.doomed) SELECT other, ?, ? FROM (\(links)) "
                            + "WHERE owner IN (SELECT id FROM \(Self.doomed) WHERE round = ? AND entity = ?)",
                        [
                            .text(relationship.destination), .integer(round + 1), .integer(round), .text(entity.name),
                        ]
                    )
                }
            }
            round += 1
        }
    }

    /// Returns a query that reads the links of a relationship as pairs of ids, `owner` and `other`.
    private func links(of relationship: SchemaDescription.Relationship, of entity: SchemaDescription.Entity) -> String {
        let key = ResolvedEntity.quotedKeyColumn
        if let join = relationship.joinTable {
            let isSource = join == "\(entity.name).\(relationship.name)"
            let (own, other) = isSource ? ("source", "target") : ("target", "source")
            return "SELECT \(own) AS owner, \(other) AS other FROM \(join.quotedIdentifier)"
        }
        if entity.column(relationship.name)?.format == "reference" {
            let column = relationship.name.quotedIdentifier
            return
                "SELECT \(key) AS owner, \(column) AS other FROM \(entity.name.quotedIdentifier) WHERE \(column) IS NOT NULL"
        }
        let column = relationship.inverse.quotedIdentifier
        let table = relationship.destination.quotedIdentifier
        return "SELECT \(column) AS owner, \(key) AS other FROM \(table) WHERE \(column) IS NOT NULL"
    }

    private func checkDenials() throws {
        for entity in schema.entities {
            for relationship in entity.relationships where relationship.deleteRule == DeleteRule.deny.rawValue {
                let denied = try statements.rows(
                    "SELECT owner, other FROM (\(links(of: relationship, of: entity))) WHERE owner IN "
                        + "(SELECT id FROM \(Self.doomed) WHERE entity = ?) AND NOT other \(Self.isDoomed) LIMIT 1",
                    [.text(entity.name)]
                ) { ($0.integer(at: 0), $0.integer(at: 1)) }
                guard let (owner, other) = denied.first else { continue }
                throw refusal(
                    "\(entity.name)/\(owner) can't be deleted while its relationship \(relationship.name) refers to "
                        + "\(relationship.destination)/\(other). \(failure.remedy)."
                )
            }
        }
    }

    /// Throws an error if a remaining object would lose a required related object.
    ///
    /// This method checks only relationships whose foreign key is not stored in the remaining object's own row.
    private func checkRequiredInverses() throws {
        for entity in schema.entities {
            for relationship in entity.relationships where relationship.cardinality == "requiredOne" {
                // `release()` checks rows that store the reference.
                guard entity.column(relationship.name)?.format != "reference" else { continue }
                let owners = try statements.integers(
                    "SELECT owner FROM (\(links(of: relationship, of: entity))) WHERE other \(Self.isDoomed) "
                        + "AND NOT owner \(Self.isDoomed) LIMIT 1"
                )
                guard let owner = owners.first else { continue }
                throw refusal(
                    "The required relationship \(entity.name)/\(owner).\(relationship.name) refers to an object that would be deleted. "
                        + "\(failure.remedy)."
                )
            }
        }
    }

    /// Sets references to deleted rows to NULL.
    private func release() throws {
        let key = ResolvedEntity.quotedKeyColumn
        for entity in schema.entities {
            for column in entity.columns where column.format == "reference" {
                let (table, name) = (entity.name.quotedIdentifier, column.name.quotedIdentifier)
                let affected = "\(name) \(Self.isDoomed) AND NOT \(key) \(Self.isDoomed)"
                if column.isRequired {
                    let ids = try statements.integers("SELECT \(key) FROM \(table) WHERE \(affected) LIMIT 1")
                    if let id = ids.first {
                        throw refusal(
                            "The required relationship \(entity.name)/\(id).\(column.name) refers to an object that would be deleted. "
                                + "\(failure.remedy)."
                        )
                    }
                }
                let position = column.name + ".position"
                let more = entity.column(position) == nil ? "" : ", \(position.quotedIdentifier) = NULL"
                try statements.run("UPDATE \(table) SET \(name) = NULL\(more) WHERE \(affected)")
            }
        }
        for join in schema.joinNames {
            try statements.run(
                "DELETE FROM \(join.quotedIdentifier) WHERE source \(Self.isDoomed) OR target \(Self.isDoomed)"
            )
        }
    }

    private func refusal(_ problem: String) -> ObjectError {
        ObjectError(failure.code, failure.message, problems: [problem])
    }
}

/// A deletion of the duplicates that violate a new unique constraint.
struct DuplicateRemoval: Hashable, Sendable {
    let entity: String
    let group: [String]
    let kept: KeptObject

    /// Deletes the duplicates from the migrated tables.
    ///
    /// - Returns: The number of deleted rows per entity.
    func run(_ schema: SchemaDescription, _ statements: StatementCache) throws -> [String: Int] {
        let list = group.map(\.quotedIdentifier).joined(separator: ", ")
        let present = group.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
        let key = ResolvedEntity.quotedKeyColumn
        let order = kept == .newest ? " DESC" : ""
        let query =
            "SELECT id FROM (SELECT \(key) AS id, row_number() OVER (PARTITION BY \(list) ORDER BY \(key)\(order)) AS n "
            + "FROM \(entity.quotedIdentifier) WHERE \(present)) WHERE n > 1"
        return try RowRemoval(schema, statements).remove(entity, matching: query)
    }
}
#endif
