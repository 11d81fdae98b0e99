#if Objects
/// The SQL that makes the tables of a model.
struct SchemaStatements {
    let model: ResolvedModel

    /// The table of an entity, without its indexes.
    func table(_ entity: ResolvedEntity) -> String {
        let columns =
            ["\(ResolvedEntity.keyColumn.quotedIdentifier) INTEGER PRIMARY KEY"] + entity.columns.map(definition)
        return "CREATE TABLE \(entity.table) (\(columns.joined(separator: ", "))) STRICT"
    }

    /// A column, as `CREATE TABLE` and `ALTER TABLE` take it.
    ///
    /// That a value is required is checked when objects are saved.
    func definition(_ column: ResolvedColumn) -> String {
        var text = "\(column.quotedName) \(column.columnType)"
        if let destination = column.destination {
            text += " REFERENCES \(model.entities[destination].table) DEFERRABLE INITIALLY DEFERRED"
        }
        return text
    }

    /// The indexes of an entity, by what they are named.
    func indexes(_ entity: ResolvedEntity) -> [(name: String, sql: String)] {
        var seen: Set<String> = []
        let groups = entity.uniqueConstraints.map { ("unique", $0) } + entity.indexes.map { ("index", $0) }
        return groups.compactMap { kind, columns in
            let names = columns.map { entity.columns[$0].name }
            let name = Self.indexName(entity.name, kind, names)
            guard seen.insert(name).inserted else { return nil }
            return (name, Self.index(entity.name, kind, names))
        }
    }

    /// What an index is named; `kind` is `unique` or `index`.
    static func indexName(_ entity: String, _ kind: String, _ columns: [String]) -> String {
        "\(entity).\(kind).\(columns.joined(separator: ","))"
    }

    static func index(_ entity: String, _ kind: String, _ columns: [String]) -> String {
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let verb = kind == "unique" ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
        let name = indexName(entity, kind, columns).quotedIdentifier
        return "\(verb) \(name) ON \(entity.quotedIdentifier) (\(list))"
    }

    /// Every join table once, with its index.
    func joinTables() -> [(table: JoinTable, statements: [String])] {
        var result: [(JoinTable, [String])] = []
        for relationship in model.entities.flatMap(\.relationships) {
            guard case .joinTable(let join, isSource: true) = relationship.storage else { continue }
            var columns = [
                "\"source\" INTEGER NOT NULL REFERENCES \(model.entities[join.sourceEntity].table) DEFERRABLE INITIALLY DEFERRED",
                "\"target\" INTEGER NOT NULL REFERENCES \(model.entities[join.targetEntity].table) DEFERRABLE INITIALLY DEFERRED",
            ]
            if let position = join.positionColumn(isSource: true) {
                columns.append("\(position.quotedIdentifier) INTEGER")
            }
            if let position = join.positionColumn(isSource: false) {
                columns.append("\(position.quotedIdentifier) INTEGER")
            }
            result.append(
                (
                    join,
                    [
                        "CREATE TABLE \(join.table) (\(columns.joined(separator: ", ")), UNIQUE (\"source\", \"target\")) STRICT",
                        "CREATE INDEX \("\(join.name).target".quotedIdentifier) ON \(join.table) (\"target\")",
                    ]
                )
            )
        }
        return result
    }

    /// Everything, for an empty database.
    func everything() -> [String] {
        model.entities.map(table) + joinTables().flatMap(\.statements)
            + model.entities.flatMap { indexes($0).map(\.sql) }
    }
}
#endif
