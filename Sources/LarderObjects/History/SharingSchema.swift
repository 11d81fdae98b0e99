#if Objects
internal import Foundation

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
    /// The events that triggers record, which are part of their names.
    private static let events = ["insert", "update", "delete"]

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

    /// Returns whether the file lacks triggers, because a program has dropped some or an earlier version of Larder has created fewer.
    ///
    /// Only the number of triggers is compared, so that opening a file stays fast.
    static func lacksTriggers(_ model: ResolvedModel, _ statements: StatementCache) throws -> Bool {
        let tables = model.entities.count + model.joinTables.count
        let unique = model.entities.count { !$0.uniqueConstraints.isEmpty }
        return try count("larder.*", statements)
            != Int64(events.count * tables + ReplacedRows.triggersPerEntity * unique)
    }

    private static func count(_ pattern: String, _ statements: StatementCache) throws -> Int64 {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name GLOB ?"
        return try statements.integers(sql, [.text(pattern)]).first ?? 0
    }

    /// Creates all triggers again, and records that any object may have changed if a program has dropped triggers that record changes.
    ///
    /// The caller must have begun a transaction.
    static func renewTriggers(
        _ model: ResolvedModel,
        author: String?,
        now: Date,
        _ statements: StatementCache
    ) throws {
        let recording = try events.reduce(0) { try $0 + count("larder.\($1).*", statements) }
        try dropTriggers(statements)
        try createTriggers(SchemaDescription(model), statements)
        guard recording < events.count * (model.entities.count + model.joinTables.count) else { return }
        let key = ResolvedEntity.quotedKeyColumn
        for entity in model.entities {
            let newest = "(SELECT min(max(\(key)), \(Int64.max - 1)) FROM \(entity.table))"
            try statements.run("UPDATE larder_sequence SET next = \(newest) + 1 WHERE next <= \(newest)")
        }
        try SaveRecorder(statements: statements, author: author, now: now).record(SavedChanges(scope: .anything))
    }

    /// Returns whether a program has created triggers in the file.
    static func hasForeignTriggers(_ statements: StatementCache) throws -> Bool {
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND NOT (\(triggerNames)) LIMIT 1"
        return try !statements.integers(sql).isEmpty
    }

    /// Returns the statements that create the triggers.
    ///
    /// The triggers that record changes name no column of an entity except the key, so that adding and dropping columns does not affect them.
    static func triggers(_ schema: SchemaDescription) -> [String] {
        let key = ResolvedEntity.quotedKeyColumn
        return schema.entities.flatMap { entity in
            let sequence =
                "UPDATE larder_sequence SET next = min(new.\(key), \(Int64.max - 1)) + 1 WHERE next <= new.\(key); "
            return triggers(on: entity.name, new: "new.\(key)", old: "old.\(key)", sequence: sequence)
                + ReplacedRows(entity).triggers
        }
            + schema.joinNames.flatMap { name in
                triggers(
                    on: name,
                    new: "'[' || new.\"source\" || ',' || new.\"target\" || ']'",
                    old: "'[' || old.\"source\" || ',' || old.\"target\" || ']'"
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
    private static func triggers(
        on table: String,
        new: String,
        old: String,
        sequence: String = ""
    ) -> [String] {
        func changes(_ parts: [(kind: String, id: String)]) -> String {
            let lists = parts.map { "\"\($0.kind)\":[' || \($0.id) || ']" }.joined(separator: ",")
            return "'{\(SaveText.quoted(table).replacing("'", with: "''")):{\(lists)}}'"
        }
        func trigger(_ event: String, _ changes: String, _ sequence: String) -> String {
            let trigger = "larder.\(event).\(table)".quotedIdentifier
            return "CREATE TRIGGER \(trigger) AFTER \(event.uppercased()) ON \(table.quotedIdentifier) BEGIN "
                + "INSERT INTO larder_save (changes) VALUES (\(changes)); \(sequence)END"
        }
        let update = changes([("updated", new)])
        let move = changes([("inserted", new), ("deleted", old)])
        return [
            trigger(events[0], changes([("inserted", new)]), sequence),
            trigger(events[1], "CASE WHEN \(new) = \(old) THEN \(update) ELSE \(move) END", sequence),
            trigger(events[2], changes([("deleted", old)]), ""),
        ]
    }
}
#endif
