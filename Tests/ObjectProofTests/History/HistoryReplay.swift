#if Objects
import Foundation
import GRDB
@testable import LarderObjects

/// A backup into which the objects that a history names are copied from the live file.
///
/// If the history is complete, both files then have the same objects and links.
final class HistoryReplay {
    private struct Table {
        let name: String
        let columns: [String]
    }

    /// One side of a join table: the column of its ids, and the name of the relationship.
    private struct Side {
        let join: String
        let column: String
        let property: String
    }

    private let queue: DatabaseQueue
    private let entities: [String: Table]
    private let joins: [Table]
    private let sides: [String: [Side]]
    /// The objects and properties that an earlier save may have changed, so that the backup no longer has the value before a save.
    private var changed: Set<String> = []
    private var changedObjects: Set<ObjectID> = []
    private var isReset = false

    /// The number of old values that were compared with the backup.
    private(set) var comparedValues = 0
    /// Old values that differ from those in the backup.
    private(set) var problems: [String] = []

    /// Opens a backup, with the live file attached.
    init(_ backup: URL, live: URL, _ model: ObjectModel) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        queue = try DatabaseQueue(path: backup.path, configuration: configuration)
        try queue.inDatabase { try $0.execute(sql: "ATTACH ? AS live", arguments: [live.path]) }
        let resolved = try model.resolved()
        (entities, joins) = try queue.write { database in
            // The rows are copied one by one, which may violate the constraints until all are copied.
            let schema = "SELECT name FROM sqlite_schema WHERE sql NOT NULL AND type = "
            for kind in ["INDEX", "TRIGGER"] {
                for name in try String.fetchAll(database, sql: "\(schema)'\(kind.lowercased())'") {
                    try database.execute(sql: "DROP \(kind) \(name.quotedIdentifier)")
                }
            }
            func table(_ name: String) throws -> Table {
                let sql = "SELECT name FROM pragma_table_info(?)"
                return Table(
                    name: name.quotedIdentifier,
                    columns: try String.fetchAll(database, sql: sql, arguments: [name])
                )
            }
            let entities = try resolved.entities.map { ($0.name, try table($0.name)) }
            return (Dictionary(uniqueKeysWithValues: entities), try resolved.joinTables.map { try table($0.name) })
        }
        var sides: [String: [Side]] = [:]
        for relationship in resolved.entities.flatMap(\.relationships) {
            guard case .joinTable(let join, let isSource) = relationship.storage else { continue }
            sides[resolved.entities[relationship.owner].name, default: []].append(
                Side(join: join.table, column: join.ownColumn(isSource: isSource), property: relationship.name)
            )
        }
        self.sides = sides
    }

    func close() throws { try queue.close() }

    /// Copies what saves name.
    ///
    /// - Parameters:
    ///   - entries: The saves after the backup.
    ///   - hasOldValues: Whether all saves of Larder must have old values.
    /// - Throws: The error that SQLite reports.
    func copy(_ entries: [HistoryEntry], hasOldValues: Bool) throws {
        try queue.write { database in
            for entry in entries {
                // The values are compared first, because what an object was before its deletion is in no other row.
                for change in entry.changes { try compare(change, entry, hasOldValues, database) }
                switch entry.scope {
                case .objects: for change in entry.changes { try copy(change, database) }
                case .reset:
                    isReset = true
                    for table in joins + entities.values { try database.execute(sql: "DELETE FROM \(table.name)") }
                case .migration, .anything: problems.append("The history says \(entry.scope).")
                }
            }
        }
    }

    private func copy(_ change: ObjectChange, _ database: Database) throws {
        let id = change.objectID
        guard let table = entities[id.entityName] else { return problems.append("\(id) has no table.") }
        let sides = sides[id.entityName] ?? []
        switch change.kind {
        case .deleted:
            try database.execute(sql: "DELETE FROM \(table.name) WHERE objectID = ?", arguments: [id.rowID])
            for side in sides { try unlink(side, id, database) }
        case .inserted:
            try database.execute(
                sql: "INSERT OR REPLACE INTO \(table.name) SELECT * FROM live.\(table.name) WHERE objectID = ?",
                arguments: [id.rowID]
            )
            for side in sides { try copyLinks(side, id, database) }
        case .updated:
            let names = change.properties
            let columns = table.columns.filter { column in
                column != "objectID"
                    && names.map {
                        $0.contains(column) || column.hasSuffix(".folded") && $0.contains(String(column.dropLast(7)))
                    }
                        ?? true
            }.map(\.quotedIdentifier).joined(separator: ", ")
            if !columns.isEmpty {
                try database.execute(
                    sql: """
                        UPDATE \(table.name) SET (\(columns)) = (SELECT \(columns) FROM live.\(table.name) WHERE objectID = ?1)
                        WHERE objectID = ?1 AND EXISTS (SELECT 1 FROM live.\(table.name) WHERE objectID = ?1)
                        """,
                    arguments: [id.rowID]
                )
            }
            for side in sides where names?.contains(side.property) ?? true { try copyLinks(side, id, database) }
            let known = Set(table.columns + sides.map(\.property))
            if let names, !names.isSubset(of: known) { problems.append("\(id) has no \(names.subtracting(known)).") }
        }
    }

    private func unlink(_ side: Side, _ id: ObjectID, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM \(side.join) WHERE \"\(side.column)\" = ?", arguments: [id.rowID])
    }

    private func copyLinks(_ side: Side, _ id: ObjectID, _ database: Database) throws {
        try unlink(side, id, database)
        try database.execute(
            sql: "INSERT INTO \(side.join) SELECT * FROM live.\(side.join) WHERE \"\(side.column)\" = ?",
            arguments: [id.rowID]
        )
    }

    /// Compares the old values of a change with the backup, as far as this is the first change of an object's properties.
    private func compare(
        _ change: ObjectChange,
        _ entry: HistoryEntry,
        _ hasOldValues: Bool,
        _ database: Database
    ) throws {
        let id = change.objectID
        defer {
            switch (change.kind, change.properties) {
            case (.updated, let names?): for name in names { changed.insert("\(id).\(name)") }
            default: changedObjects.insert(id)
            }
        }
        guard !isReset, !changedObjects.contains(id), let table = entities[id.entityName] else { return }
        let isRecorded = hasOldValues && !entry.isForeign && change.kind == .updated
        if isRecorded, let names = change.properties?.intersection(table.columns), names != change.recordedProperties {
            problems.append("\(id) has old values of \(change.recordedProperties) instead of \(names).")
        }
        for (name, value) in change.oldValues where !changed.contains("\(id).\(name)") {
            let sql = "SELECT \(name.quotedIdentifier) FROM \(table.name) WHERE objectID = ?"
            let row = try StatementCache(database).rows(sql.replacing("?", with: "\(id.rowID)")) { $0.value(at: 0) }
            comparedValues += 1
            if row != [value] { problems.append("The old value of \(id).\(name) is \(value) instead of \(row).") }
        }
    }

    /// Returns the rows that differ between the backup and the live file.
    func differences() throws -> [String] {
        try queue.read { database in
            try (Array(entities.values) + joins).flatMap { table -> [String] in
                let columns = table.columns.map(\.quotedIdentifier).joined(separator: ", ")
                return try [("main", "live"), ("live", "main")].flatMap { first, second in
                    try Row.fetchAll(
                        database,
                        sql:
                            "SELECT \(columns) FROM \(first).\(table.name) EXCEPT SELECT \(columns) FROM \(second).\(table.name)"
                    ).map { "\(table.name) only in \(first): \($0)" }
                }
            }
        }
    }
}
#endif
