#if Objects
/// The SQL statements that create the tables and indexes of a schema.
struct SchemaStatements {
    /// The table that stores a many-to-many relationship.
    struct JoinTable: Hashable {
        let name: String
        let source: String
        let target: String
        let isSourceOrdered: Bool
        let isTargetOrdered: Bool
    }

    let schema: SchemaDescription

    init(_ schema: SchemaDescription) { self.schema = schema }

    init(model: ResolvedModel) { self.init(SchemaDescription(model)) }

    /// Returns the `CREATE TABLE` statement for an entity.
    ///
    /// If `name` is `nil`, the table has the entity's name.
    func table(_ entity: SchemaDescription.Entity, named name: String? = nil) -> String {
        let columns =
            ["\(ResolvedEntity.quotedKeyColumn) INTEGER PRIMARY KEY"] + entity.columns.map(Self.definition)
        return "CREATE TABLE \((name ?? entity.name).quotedIdentifier) (\(columns.joined(separator: ", "))) STRICT"
    }

    /// Returns the definition of a column for `CREATE TABLE` and `ALTER TABLE`.
    ///
    /// Required columns have no `NOT NULL` constraint, because each save checks for missing values.
    static func definition(_ column: SchemaDescription.Column) -> String {
        var text = "\(column.name.quotedIdentifier) \(column.type)"
        if let destination = column.destination {
            text += " REFERENCES \(destination.quotedIdentifier) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    /// Returns the name and the `CREATE INDEX` statement of each of an entity's indexes.
    static func indexes(_ entity: SchemaDescription.Entity) -> [(name: String, sql: String)] {
        let groups = entity.unique.map { ("unique", $0) } + entity.indexes.map { ("index", $0) }
        return groups.map { kind, columns in
            (indexName(entity.name, kind, columns), index(entity.name, kind, columns))
        }
    }

    /// Returns the unquoted name of an entity's index.
    ///
    /// `kind` is `unique` for a unique index, otherwise `index`.
    static func indexName(_ entity: String, _ kind: String, _ columns: [String]) -> String {
        "\(entity).\(kind).\(columns.joined(separator: ","))"
    }

    static func index(_ entity: String, _ kind: String, _ columns: [String]) -> String {
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let verb = kind == "unique" ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
        let name = indexName(entity, kind, columns).quotedIdentifier
        return "\(verb) \(name) ON \(entity.quotedIdentifier) (\(list))"
    }

    /// Returns the join tables, each with the statements that create the table and its index.
    func joinTables() -> [(table: JoinTable, statements: [String])] {
        schema.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> (table: JoinTable, statements: [String])? in
                // The table has the name of the relationship that declares the inverse.
                guard let name = relationship.joinTable, name == "\(entity.name).\(relationship.name)" else {
                    return nil
                }
                let other = schema.entities.first { $0.name == relationship.destination }
                let join = JoinTable(
                    name: name,
                    source: entity.name,
                    target: relationship.destination,
                    isSourceOrdered: relationship.isOrdered,
                    isTargetOrdered: other?.relationships.first { $0.name == relationship.inverse }?.isOrdered ?? false
                )
                return (join, Self.statements(join))
            }
        }
    }

    /// Returns the quoted names of a join table's columns.
    static func columns(_ join: JoinTable) -> [String] {
        ["\"source\"", "\"target\""] + (join.isSourceOrdered ? ["\"sourcePosition\""] : [])
            + (join.isTargetOrdered ? ["\"targetPosition\""] : [])
    }

    /// Returns the `CREATE TABLE` statement for a join table.
    ///
    /// If `name` is `nil`, the table has the name in `join`.
    static func table(_ join: JoinTable, named name: String? = nil) -> String {
        var columns = [("source", join.source), ("target", join.target)].map { name, entity in
            "\"\(name)\" INTEGER NOT NULL REFERENCES \(entity.quotedIdentifier) DEFERRABLE INITIALLY DEFERRED"
        }
        if join.isSourceOrdered { columns.append("\"sourcePosition\" INTEGER") }
        if join.isTargetOrdered { columns.append("\"targetPosition\" INTEGER") }
        let table = (name ?? join.name).quotedIdentifier
        return "CREATE TABLE \(table) (\(columns.joined(separator: ", ")), UNIQUE (\"source\", \"target\")) STRICT"
    }

    private static func statements(_ join: JoinTable) -> [String] {
        let table = join.name.quotedIdentifier
        return [
            Self.table(join),
            "CREATE INDEX \("\(join.name).target".quotedIdentifier) ON \(table) (\"target\")",
        ]
    }

    /// Returns all statements that create the schema in an empty database.
    func everything() -> [String] {
        schema.entities.map { table($0) } + joinTables().flatMap(\.statements)
            + schema.entities.flatMap { Self.indexes($0).map(\.sql) }
    }
}
#endif
