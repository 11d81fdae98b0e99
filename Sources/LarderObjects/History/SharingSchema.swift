#if Objects
/// The tables and triggers by which processes learn of each other's changes.
///
/// Documentation/Formats/objects-v3.md describes them.
enum SharingSchema {
    private static let save =
        "CREATE TABLE larder_save (token INTEGER PRIMARY KEY, "
        + "time REAL NOT NULL DEFAULT ((julianday('now') - 2451910.5) * 86400.0), last INTEGER NOT NULL DEFAULT 1, "
        + "process INTEGER, author TEXT, changes TEXT NOT NULL) STRICT"
    private static let timeline =
        "CREATE TABLE larder_timeline (id INTEGER NOT NULL, keeps INTEGER NOT NULL DEFAULT 0, age REAL, bytes INTEGER, "
        + "trimmed INTEGER NOT NULL DEFAULT 0) STRICT"
    private static let triggerNames = "type = 'trigger' AND name GLOB 'larder.*'"

    /// Creates the tables, with a new timeline and an empty history.
    static func createTables(_ statements: StatementCache) throws {
        try statements.run(save)
        try statements.run(timeline)
        try statements.run("INSERT INTO larder_timeline (id) VALUES (random())")
    }

    /// Returns whether the file has the tables.
    ///
    /// A file of an earlier format lacks them.
    static func exists(_ statements: StatementCache) throws -> Bool {
        try !statements.integers("SELECT 1 FROM sqlite_schema WHERE name = 'larder_timeline'").isEmpty
    }

    /// Begins a new timeline, so that tokens of the old one expire.
    static func beginTimeline(_ statements: StatementCache) throws {
        try statements.run("UPDATE larder_timeline SET id = random()")
    }

    /// Drops all of Larder's triggers, so that tables can be replaced and renamed.
    static func dropTriggers(_ statements: StatementCache) throws {
        let names = try statements.rows("SELECT name FROM sqlite_schema WHERE \(triggerNames)") { row -> String in
            if case .text(let name) = row.value(at: 0) { name } else { "" }
        }
        for name in names { try statements.run("DROP TRIGGER \(name.quotedIdentifier)") }
    }

    /// Creates the triggers that record the changes of other programs.
    ///
    /// Larder's own connections switch triggers off.
    static func createTriggers(_ schema: SchemaDescription, _ statements: StatementCache) throws {
        for statement in triggers(schema) { try statements.run(statement) }
    }

    /// Returns whether a program has created triggers in the file.
    static func hasForeignTriggers(_ statements: StatementCache) throws -> Bool {
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND NOT (\(triggerNames)) LIMIT 1"
        return try !statements.integers(sql).isEmpty
    }

    /// Returns the statements that create the triggers.
    ///
    /// The triggers name no column of an entity except the key, so that adding and dropping columns does not affect them.
    static func triggers(_ schema: SchemaDescription) -> [String] {
        let key = ResolvedEntity.quotedKeyColumn
        return schema.entities.flatMap { entity in
            let sequence =
                "; UPDATE larder_sequence SET next = min(new.\(key), \(Int64.max - 1)) + 1 WHERE next <= new.\(key)"
            return triggers(on: entity.name, new: "new.\(key)", old: "old.\(key)", sequence: sequence)
        }
            + schema.joinNames.flatMap { name in
                triggers(
                    on: name,
                    new: "'[' || new.\"source\" || ',' || new.\"target\" || ']'",
                    old: "'[' || old.\"source\" || ',' || old.\"target\" || ']'",
                    sequence: ""
                )
            }
    }

    /// Returns the three triggers of a table.
    ///
    /// - Parameters:
    ///   - table: The name of the entity or the join table.
    ///   - new: The SQL of the new row's id in JSON.
    ///   - old: The SQL of the old row's id in JSON.
    ///   - sequence: A statement that follows the insertion of an id.
    /// - Returns: The statements.
    private static func triggers(on table: String, new: String, old: String, sequence: String) -> [String] {
        let name = SaveText.quoted(table)
        func changes(_ parts: [(kind: String, id: String)]) -> String {
            let lists = parts.map { "\"\($0.kind)\":[' || \($0.id) || ']" }.joined(separator: ",")
            return "'{\(name.replacing("'", with: "''")):{\(lists)}}'"
        }
        func trigger(_ event: String, _ changes: String, _ sequence: String) -> String {
            let trigger = "larder.\(event).\(table)".quotedIdentifier
            return "CREATE TRIGGER \(trigger) AFTER \(event.uppercased()) ON \(table.quotedIdentifier) BEGIN "
                + "INSERT INTO larder_save (changes) VALUES (\(changes))\(sequence); END"
        }
        let update = changes([("updated", new)])
        let move = changes([("inserted", new), ("deleted", old)])
        return [
            trigger("insert", changes([("inserted", new)]), sequence),
            trigger("update", "CASE WHEN \(new) = \(old) THEN \(update) ELSE \(move) END", sequence),
            trigger("delete", changes([("deleted", old)]), ""),
        ]
    }
}
#endif
