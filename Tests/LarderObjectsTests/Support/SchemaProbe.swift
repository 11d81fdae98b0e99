#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects

/// Reads how SQLite describes the tables in a file, in no particular order.
enum SchemaProbe {
    /// Returns the columns, indexes and references of all tables that belong to the model, one per line.
    static func lines(of url: URL) async throws -> Set<String> {
        let queue = try DatabaseQueue(path: url.path)
        let lines = try await queue.read { database -> Set<String> in
            var lines: Set<String> = []
            func add(_ label: String, _ sql: String, _ columns: [String]) throws {
                for row in try Row.fetchAll(database, sql: sql) {
                    lines.insert(label + " " + columns.map { "\(row[$0] as DatabaseValue)" }.joined(separator: " "))
                }
            }
            let tables = try String.fetchAll(
                database,
                sql:
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'larder%' AND name NOT LIKE 'sqlite%'"
            )
            for table in tables {
                let name = "'" + table.replacing("'", with: "''") + "'"
                try add(
                    table,
                    "SELECT * FROM pragma_table_xinfo(\(name))",
                    ["name", "type", "notnull", "pk", "hidden"]
                )
                try add(table, "SELECT * FROM pragma_foreign_key_list(\(name))", ["table", "from", "on_delete"])
                for index in try String.fetchAll(
                    database,
                    sql: "SELECT name FROM pragma_index_list(\(name)) WHERE origin = 'c'"
                ) {
                    let quoted = "'" + index.replacing("'", with: "''") + "'"
                    let columns = try String.fetchAll(
                        database,
                        sql: "SELECT coalesce(name, '-') FROM pragma_index_xinfo(\(quoted)) ORDER BY seqno"
                    )
                    let isUnique = try Int.fetchOne(
                        database,
                        sql: "SELECT \"unique\" FROM pragma_index_list(\(name)) WHERE name = \(quoted)"
                    )
                    lines.insert("\(index) on \(table) unique \(isUnique ?? -1): \(columns.joined(separator: ","))")
                }
            }
            return lines
        }
        try queue.close()
        return lines
    }

    /// Returns the first column of each row that a query returns, as strings.
    static func values(of url: URL, _ sql: String) async throws -> [String?] {
        let queue = try DatabaseQueue(path: url.path)
        let values = try await queue.read { database in
            try Row.fetchAll(database, sql: sql).map { row -> String? in
                let value: DatabaseValue = row[0]
                return value.isNull ? nil : String.fromDatabaseValue(value) ?? "\(value)"
            }
        }
        try queue.close()
        return values
    }
}

/// A file that is created with one model and opened with another.
struct MigratingFile {
    let url: URL
    let folder: URL
    let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))

    func open(_ model: ObjectModel) throws -> SQLiteStorageManager {
        try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    /// Opens the file with a model and runs `body`, then compares the file with a new file of that model.
    ///
    /// - Returns: Whether the file is intact and has the same tables as the new file.
    func migrate(to model: ObjectModel, _ body: (SQLiteStorageManager) async throws -> Void) async throws -> Bool {
        let manager = try open(model)
        try await body(manager)
        let isIntact = try manager.verify().problems.isEmpty
        try manager.close()
        let fresh = folder.appendingPathComponent("fresh-\(UUID().uuidString).sqlite")
        try SQLiteStorageManager(model: model, url: fresh, configuration: configuration).close()
        let (migrated, expected) = (try await SchemaProbe.lines(of: url), try await SchemaProbe.lines(of: fresh))
        return isIntact && migrated == expected
    }
}

/// Creates a file with a model, closes it, and runs `body`.
func withFile(
    of model: ObjectModel,
    fill: @escaping @Sendable (any WritableStorageType) throws -> Void,
    _ body: (MigratingFile) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let file = MigratingFile(url: folder.appendingPathComponent("file.sqlite"), folder: folder)
        let manager = try file.open(model)
        try await manager.performAndSave { try fill($0) }
        try manager.close()
        try await body(file)
    }
}
#endif
