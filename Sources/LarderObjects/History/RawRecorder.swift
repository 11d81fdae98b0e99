#if Objects
internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// A recorder of the rows that raw SQL changes on one connection, including changes made by triggers.
///
/// Each table of the model has TEMP triggers that call the SQL function `larder_note`. SQLite's update hook would report neither the
/// changed columns nor the rows that `REPLACE` deletes.
final class RawRecorder: Sendable {
    private let model: ResolvedModel
    private let columns: HistoryColumns
    private let notes: Mutex<RowNotes>
    private let values: Mutex<OldValues>

    init(_ model: ResolvedModel, _ columns: HistoryColumns) {
        self.model = model
        self.columns = columns
        notes = Mutex(Self.noNotes(model))
        values = Mutex(OldValues(columns, .internal))
    }

    /// Tables are numbered: first the entities, then the join tables.
    private static func noNotes(_ model: ResolvedModel) -> RowNotes {
        RowNotes(tables: model.entities.count + model.joinTables.count)
    }

    /// Discards all notes, and creates the triggers that are missing on the connection.
    ///
    /// Raw SQL that drops a table also drops the triggers.
    ///
    /// - Parameters:
    ///   - database: The connection.
    ///   - policy: The policy of the file, on which the triggers depend.
    /// - Throws: The error that SQLite reports.
    func begin(_ database: Database, _ policy: StoredHistoryPolicy) throws {
        notes.withLock { $0 = Self.noNotes(model) }
        let before = values.withLock(\.recorded)
        let triggers = RawTriggers(model, values: columns.recorded(by: policy))
        let names = try String.fetchAll(database, sql: RawTriggers.names)
        if names.count != triggers.number || before != triggers.values {
            try database.inTransaction(.deferred) {
                for sql in RawTriggers.drop(names) + triggers.statements { try database.execute(sql: sql) }
                return .commit
            }
        }
        // If the triggers could not be created, the next call must try again.
        values.withLock { $0 = OldValues(columns, policy) }
    }

    /// The values that rows had before the transaction.
    var oldValues: OldValues { values.withLock(\.self) }

    /// The ids of the entity's rows that may have changed.
    func noted(_ entity: ResolvedEntity) -> [Int64] { notes.withLock { $0.tables[entity.index].keys.map(\.first) } }

    /// Returns the changes that the transaction has made so far.
    func changes(_ statements: StatementCache) throws -> RowChanges {
        let notes = notes.withLock(\.self)
        var changes = RowChanges(entities: model.entities.count)
        for entity in model.entities {
            let sql = "SELECT EXISTS (SELECT 1 FROM main.\(entity.table) WHERE \(ResolvedEntity.quotedKeyColumn) = ?1)"
            for (row, note) in notes.tables[entity.index].sorted(by: { $0.key < $1.key }) {
                switch (note.existed, try exists(row, note, sql, statements)) {
                case (false, true): changes.insert(entity.index, row.first)
                case (true, false): changes.delete(entity.index, row.first)
                case (true, true):
                    let columns = note.mayBeReplaced ? ColumnSet(entity.columns.indices) : note.columns
                    if !columns.isEmpty { changes.update(entity.index, row.first, columns) }
                case (false, false): break
                }
            }
        }
        for (join, notes) in zip(model.joinTables, notes.tables.dropFirst(model.entities.count)) {
            let sql = "SELECT EXISTS (SELECT 1 FROM main.\(join.table) WHERE \"source\" = ?1 AND \"target\" = ?2)"
            for (row, note) in notes.sorted(by: { $0.key < $1.key }) {
                let link = LinkPair(source: row.first, target: row.second)
                switch (note.existed, try exists(row, note, sql, statements)) {
                case (false, true): changes.insert(link, in: join.name)
                case (true, false): changes.delete(link, in: join.name)
                case (true, true): if note.mayBeReplaced { changes.move(link, in: join.name) }
                case (false, false): break
                }
            }
        }
        return changes
    }

    /// Returns whether a row exists now.
    ///
    /// The notes don't tell, because a statement that fails and a savepoint that is rolled back undo what has been noted.
    private func exists(
        _ key: RowNotes.Key,
        _ note: RowNotes.Note,
        _ sql: String,
        _ statements: StatementCache
    ) throws -> Bool {
        guard note.mayBeGone else { return true }
        let statement = try statements.statement(sql)
        statement.bind(key.first, at: 1)
        // The query of an entity has one parameter only.
        statement.bind(key.second, at: 2)
        var exists = false
        while try statement.step() { exists = statement.integer(at: 0) != 0 }
        return exists
    }

    /// Registers the SQL functions `larder_note(event, table, key, ...)` and `larder_old(entity, key, place, bits, values, ...)`, which the
    /// triggers call.
    func register(on database: Database) throws {
        try register("larder_note", on: database) { context, count, arguments in
            guard let arguments, let recorder = sqlite3_user_data(context) else { return }
            Unmanaged<RawRecorder>.fromOpaque(recorder).takeUnretainedValue()
                .note(UnsafeBufferPointer(start: arguments, count: Int(count)).map { sqlite3_value_int64($0) })
        }
        try register("larder_old", on: database) { context, count, arguments in
            guard let arguments, let recorder = sqlite3_user_data(context) else { return }
            Unmanaged<RawRecorder>.fromOpaque(recorder).takeUnretainedValue()
                .noteValues(UnsafeBufferPointer(start: arguments, count: Int(count)))
        }
    }

    private func register(_ name: String, on database: Database, _ function: SQLFunctions.Function) throws {
        let result = sqlite3_create_function_v2(
            database.sqliteConnection,
            name,
            -1,
            SQLITE_UTF8,
            Unmanaged.passRetained(self).toOpaque(),
            function,
            nil,
            nil,
            { recorder in
                if let recorder { Unmanaged<RawRecorder>.fromOpaque(recorder).release() }
            }
        )
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }

    /// Notes a call of `larder_note`.
    ///
    /// Calls that no trigger makes have no effect.
    private func note(_ arguments: [Int64]) {
        guard arguments.count >= 4, let event = RowNotes.Event(rawValue: arguments[0]),
            let table = Int(exactly: arguments[1])
        else { return }
        notes.withLock { notes in
            guard notes.tables.indices.contains(table) else { return }
            let key = RowNotes.Key(first: arguments[2], second: arguments[3])
            let count = table < model.entities.count ? model.entities[table].columns.count : 0
            notes.note(event, table, key, RawTriggers.columns(arguments.dropFirst(4), of: count))
        }
    }

    /// Notes a call of `larder_old`.
    ///
    /// Calls that no trigger makes have no effect.
    private func noteValues(_ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        guard arguments.count > 4 else { return }
        let (entity, row) = (Int(sqlite3_value_int64(arguments[0])), sqlite3_value_int64(arguments[1]))
        let (start, bits) = (Int(sqlite3_value_int64(arguments[2])), sqlite3_value_int64(arguments[3]))
        values.withLock { values in
            guard values.recorded.indices.contains(entity) else { return }
            for (place, value) in arguments.dropFirst(4).enumerated() where bits & 1 << Int64(place) != 0 {
                guard values.recorded[entity].indices.contains(start + place) else { return }
                values.note(entity, row, values.recorded[entity][start + place], ColumnValue(argument: value))
            }
        }
    }
}

extension ColumnValue {
    /// Copies an argument of an SQL function.
    fileprivate init(argument: OpaquePointer?) {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let start = sqlite3_value_text(argument)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
            self = .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(argument)
            self = .blob(Data(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))))
        default: self = .null
        }
    }
}
#endif
