#if Objects
import Foundation
import GRDB
@testable import LarderObjects

/// The content of a database in a form that can be compared.
struct DatabaseContent: Equatable {
    /// The rows of each table, each as a line of text.
    var rows: [String: Set<String>] = [:]
    var next: Int64?
    var problems: [String] = []
}

enum PairFile {
    /// Creates the tables of a model.
    static func create(_ model: ObjectModel, _ database: Database) throws {
        try StoredSchema.create(try model.frozen(), StatementCache(database))
    }

    /// Writes the objects of a sketch to its tables.
    static func write(_ sketch: Sketch, _ rows: SketchRows, _ database: Database) throws {
        try database.inTransaction {
            for (table, lines) in content(sketch, rows) {
                guard let columns = lines.first?.keys.sorted() else { continue }
                let names = columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
                let marks = columns.map { _ in "?" }.joined(separator: ", ")
                let statement = try database.makeStatement(
                    sql: "INSERT INTO \(table.quotedDatabaseIdentifier) (\(names)) VALUES (\(marks))"
                )
                for line in lines {
                    try statement.execute(arguments: StatementArguments(columns.map { line[$0] ?? .null }))
                }
            }
            try database.execute(sql: "UPDATE larder_sequence SET next = ?", arguments: [rows.next])
            return .commit
        }
    }

    /// Returns the expected rows of a sketch by table name, as specified in Documentation/Formats/objects-v3.md.
    private static func content(_ sketch: Sketch, _ rows: SketchRows) -> [String: [[String: DatabaseValue]]] {
        var content: [String: [[String: DatabaseValue]]] = [:]
        for entity in sketch.entities {
            content[entity.name] = rows.ids(entity.id).map { id in
                var row = ["objectID": id.databaseValue]
                for attribute in entity.attributes {
                    let value = rows.values[entity.id]?[id]?[attribute.id]
                    row[attribute.name] = value?.stored ?? .null
                    if attribute.isSearchable { row[attribute.name + ".folded"] = value.flatMap(folded) ?? .null }
                }
                for pair in sketch.pairs where !pair.hasJoinTable && pair.sides[pair.holder].entity == entity.id {
                    let (side, other) = (pair.sides[pair.holder], pair.sides[1 - pair.holder])
                    let link = rows.links[pair.id]?.first { $0.ends[pair.holder] == id }
                    row[side.name] = link?.ends[1 - pair.holder].databaseValue ?? .null
                    if other.isOrdered {
                        row[side.name + ".position"] = link?.positions[1 - pair.holder]?.databaseValue ?? .null
                    }
                }
                return row
            }
        }
        for pair in sketch.pairs where pair.hasJoinTable {
            let (source, target) = (pair.holder, 1 - pair.holder)
            let name = "\(sketch.entity(pair.sides[source].entity)?.name ?? "").\(pair.sides[source].name)"
            content[name] = (rows.links[pair.id] ?? []).map { link in
                var row = ["source": link.ends[source].databaseValue, "target": link.ends[target].databaseValue]
                if pair.sides[source].isOrdered {
                    row["sourcePosition"] = link.positions[source]?.databaseValue ?? .null
                }
                if pair.sides[target].isOrdered {
                    row["targetPosition"] = link.positions[target]?.databaseValue ?? .null
                }
                return row
            }
        }
        return content
    }

    private static let locale = Locale(identifier: "en_US_POSIX")

    private static func folded(_ value: Value) -> DatabaseValue? {
        guard case .text(let text) = value else { return nil }
        return text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: locale)
            .precomposedStringWithCanonicalMapping.databaseValue
    }

    /// Returns the expected rows of a sketch, each as a line of text.
    static func lines(_ sketch: Sketch, _ rows: SketchRows) -> [String: Set<String>] {
        content(sketch, rows).mapValues { Set($0.map(line)) }
    }

    private static func line(_ row: [String: DatabaseValue]) -> String {
        row.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", ")
    }

    private static func text(_ value: DatabaseValue) -> String {
        guard case .blob(let data) = value.storage else { return "\(value)" }
        return "x'" + data.map { String($0, radix: 16) }.joined(separator: " ") + "'"
    }

    /// Reads the schema of a database from SQLite.
    static func schema(_ database: Database) throws -> Set<String> {
        let tables = "FROM sqlite_schema m, "
        let isTable = "WHERE m.type = 'table' AND m.name NOT LIKE 'larder%' AND m.name NOT LIKE 'sqlite%'"
        var lines: Set<String> = []
        for (label, sql) in [
            (
                "column",
                "SELECT m.name, x.name, x.type, x.\"notnull\", x.dflt_value, x.pk, x.hidden \(tables) pragma_table_xinfo(m.name) x \(isTable)"
            ),
            (
                "reference",
                "SELECT m.name, x.\"table\", x.\"from\", x.\"to\", x.on_update, x.on_delete, x.\"match\" \(tables) pragma_foreign_key_list(m.name) x \(isTable)"
            ),
            (
                "index",
                "SELECT m.name, l.name, l.\"unique\", l.origin, l.partial, x.seqno, x.name, x.\"desc\", x.coll, x.key \(tables) pragma_index_list(m.name) l, pragma_index_xinfo(l.name) x \(isTable)"
            ),
            ("trigger", "SELECT m.name, m.tbl_name, m.sql FROM sqlite_schema m WHERE m.type = 'trigger'"),
        ] {
            for row in try Row.fetchAll(database, sql: sql) {
                lines.insert(label + " " + row.databaseValues.map { "\($0)" }.joined(separator: " "))
            }
        }
        return lines
    }

    /// Returns the statements of the schema and the content of Larder's own tables.
    static func statements(_ database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql:
                "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema UNION ALL SELECT description FROM larder_model"
        )
    }

    /// Reads a database.
    static func read(_ database: Database) throws -> DatabaseContent {
        var content = DatabaseContent()
        let tables = try String.fetchAll(
            database,
            sql:
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'larder%' AND name NOT LIKE 'sqlite%'"
        )
        for table in tables {
            content.rows[table] = Set(
                try Row.fetchAll(database, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)").map { row in
                    line(Dictionary(uniqueKeysWithValues: row.map { ($0, $1) }))
                }
            )
        }
        content.next = try Int64.fetchOne(database, sql: "SELECT next FROM larder_sequence")
        content.problems =
            try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            + Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { "\($0)" }
        return content
    }
}
#endif
