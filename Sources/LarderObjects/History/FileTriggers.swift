#if Objects
internal import CLarderSQLite
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// The switch for the triggers in the database file, on one connection that writes.
///
/// Larder's triggers in the file record the changes of other programs. They are off on Larder's connections, whose saves are recorded
/// otherwise. If a program has created triggers in the file, all triggers run, because SQLite has one switch for all of them.
final class FileTriggers: Sendable {
    private struct State: Sendable {
        /// SQLite's counter of changes to the schema, as of the last check.
        var version: Int64?
        var areOn = true
    }
    private let state = Mutex(State())

    /// Sets the switch for the current transaction, which has not changed anything yet.
    ///
    /// - Returns: The newest token if triggers run, or `nil` if they are off.
    func prepare(_ statements: StatementCache) throws -> Int64? {
        let version = try statements.integers("PRAGMA main.schema_version").first
        let known = state.withLock(\.self)
        var areOn = known.areOn
        if version != known.version {
            areOn = try SharingSchema.hasForeignTriggers(statements)
            if areOn != known.areOn { try Self.set(areOn, statements.database) }
            state.withLock { $0 = State(version: version, areOn: areOn) }
        }
        return areOn ? try SaveReader(statements: statements).newest() : nil
    }

    private static func set(_ areOn: Bool, _ database: Database) throws {
        let result = larder_run_triggers(database.sqliteConnection, areOn ? 1 : 0)
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }

    /// Removes the rows that Larder's triggers have added to `larder_save` after a token in the current transaction.
    static func discard(after token: Int64, _ statements: StatementCache) throws {
        try statements.run("DELETE FROM larder_save WHERE token > ?", [.integer(token)])
    }

    /// Removes the rows that Larder's triggers have added to `larder_save` after a token in the current transaction, and returns all
    /// changes of the transaction.
    ///
    /// The rows are complete, because they include what the triggers of programs changed, but they name no columns. If a row was changed
    /// once, only Larder can have changed it, so its columns are those that Larder recorded. The old values of other rows are discarded,
    /// because a trigger may have run before Larder noted them.
    static func take(
        after token: Int64,
        recorded: RowChanges,
        _ values: inout OldValues?,
        _ names: SaveNames,
        _ statements: StatementCache
    ) throws -> RowChanges {
        let parts = try statements.rows(
            "SELECT changes FROM larder_save WHERE token > ? ORDER BY token",
            [.integer(token)]
        ) { try $0.withBytes(at: 0, SaveText.read) }
        try discard(after: token, statements)
        var updates = names.entities.map { _ in [Int64: Int]() }
        for group in parts.lazy.flatMap(\.objects) where group.kind == .updated {
            guard let entity = names.index(of: group.entity) else { continue }
            for id in group.ids.joined() { updates[entity][id, default: 0] += 1 }
        }
        let changes = SavedChanges.net(of: parts).rowChanges(names)
        for (entity, rows) in changes.entities.enumerated() {
            for row in rows.updated.map(\.row) where updates[entity][row] != 1 { values?.discard(entity, row) }
            for row in rows.deleted where updates[entity][row] != nil { values?.discard(entity, row) }
        }
        return changes.naming(columnsOf: recorded) { updates[$0][$1] == 1 }
    }
}
#endif
