#if Objects
/// The TEMP triggers with which ``RawRecorder`` records the changes of raw SQL.
struct RawTriggers {
    private static let prefix = "larder.note."
    /// The query for the names of the triggers that exist on the connection.
    static let names = "SELECT name FROM temp.sqlite_schema WHERE type = 'trigger' AND name GLOB '\(prefix)*'"

    private let model: ResolvedModel
    /// For each entity, the columns whose old values are recorded.
    let values: [[Int]]

    init(_ model: ResolvedModel, values: [[Int]]) {
        self.model = model
        self.values = values
    }

    /// Returns the statements that drop triggers.
    static func drop(_ names: [String]) -> [String] { names.map { "DROP TRIGGER temp.\($0.quotedIdentifier)" } }

    /// The number of triggers, five for each table.
    var number: Int { 5 * (model.entities.count + model.joinTables.count) }

    /// The statements that create the triggers that don't exist yet.
    var statements: [String] { model.entities.flatMap(triggers) + model.joinTables.enumerated().flatMap(triggers) }

    private func triggers(_ entity: ResolvedEntity) -> [String] {
        let (table, key) = (entity.index, ResolvedEntity.keyColumn)
        let unique = [[key]] + entity.uniqueConstraints.map { $0.map { entity.columns[$0].name } }
        let (old, new) = (Self.row("old", [key]), Self.row("new", [key]))
        let moved = "old.\(key.quotedIdentifier) IS NOT new.\(key.quotedIdentifier)"
        let set = Set(unique.joined()).sorted().map(\.quotedIdentifier).joined(separator: ", ")
        return [
            trigger("before insert", "BEFORE INSERT", entity.name, found(table, entity.table, [key], unique)),
            trigger(
                "before update",
                "BEFORE UPDATE OF \(set)",
                entity.name,
                found(table, entity.table, [key], unique, isUpdate: true)
            ),
            trigger("insert", "AFTER INSERT", entity.name, note(.inserted, table, new)),
            trigger("delete", "AFTER DELETE", entity.name, kept(entity, "old") + note(.deleted, table, old)),
            trigger(
                "update",
                "AFTER UPDATE",
                entity.name,
                kept(entity, "old", unless: moved) + note(.deleted, table, old, where: moved)
                    + note(.inserted, table, new, where: moved)
                    + note(.updated, table, new + Self.changed(entity.columns.map(\.quotedName)))
            ),
        ]
    }

    private func triggers(_ index: Int, _ join: JoinTable) -> [String] {
        let table = model.entities.count + index
        let key = ["source", "target"]
        let (old, new) = (Self.row("old", key), Self.row("new", key))
        return [
            trigger("before insert", "BEFORE INSERT", join.name, found(table, join.table, key, [key])),
            trigger(
                "before update",
                "BEFORE UPDATE OF \"source\", \"target\"",
                join.name,
                found(table, join.table, key, [key], isUpdate: true)
            ),
            trigger("insert", "AFTER INSERT", join.name, note(.inserted, table, new)),
            trigger("delete", "AFTER DELETE", join.name, note(.deleted, table, old)),
            trigger("update", "AFTER UPDATE", join.name, note(.deleted, table, old) + note(.inserted, table, new)),
        ]
    }

    private func trigger(_ name: String, _ event: String, _ table: String, _ body: String) -> String {
        let name = "\(Self.prefix)\(name).\(table)".quotedIdentifier
        return "CREATE TEMP TRIGGER IF NOT EXISTS \(name) \(event) ON main.\(table.quotedIdentifier) BEGIN \(body)END"
    }

    /// Returns the statement that notes an event of a row.
    private func note(_ event: RowNotes.Event, _ table: Int, _ row: [String], where condition: String? = nil) -> String
    {
        let arguments = ["\(event.rawValue)", "\(table)"] + row
        return "SELECT larder_note(\(arguments.joined(separator: ", ")))\(condition.map { " WHERE " + $0 } ?? ""); "
    }

    /// Returns the statements that note the other rows that have the new row's key or unique values.
    ///
    /// `REPLACE` deletes these rows without running triggers. `PRAGMA recursive_triggers` would run them, but would also let a program's
    /// trigger that changes its own table call itself without end.
    private func found(
        _ table: Int,
        _ name: String,
        _ key: [String],
        _ unique: [[String]],
        isUpdate: Bool = false
    ) -> String {
        unique.map { columns in
            var equal = columns.map(\.quotedIdentifier).map { "t.\($0) = new.\($0)" }.joined(separator: " AND ")
            if isUpdate {
                let differs = key.map(\.quotedIdentifier).map { "t.\($0) IS NOT old.\($0)" }
                equal += " AND (\(differs.joined(separator: " OR ")))"
            }
            let arguments = ["\(RowNotes.Event.found.rawValue)", "\(table)"] + Self.row("t", key)
            let values = table < model.entities.count ? calls(model.entities[table], "t") { _ in "-1" } : []
            let calls = ["larder_note(\(arguments.joined(separator: ", ")))"] + values
            return "SELECT \(calls.joined(separator: ", ")) FROM main.\(name) AS t WHERE \(equal); "
        }.joined()
    }

    /// Returns the statement that notes the values of a row before it is deleted or updated.
    ///
    /// - Parameters:
    ///   - entity: The entity of the row.
    ///   - alias: The name of the row.
    ///   - moved: For an update, the condition for a row with another key, which counts as deleted. The values of columns that do not change
    ///     are not noted.
    /// - Returns: The statement, or an empty string if no values are recorded.
    private func kept(_ entity: ResolvedEntity, _ alias: String, unless moved: String? = nil) -> String {
        let calls = calls(entity, alias) { columns in
            guard let moved else { return "-1" }
            return "CASE WHEN \(moved) THEN -1 ELSE \(Self.changed(columns).joined()) END"
        }
        return calls.isEmpty ? "" : "SELECT \(calls.joined(separator: ", ")); "
    }

    /// Returns the calls of `larder_old` for a row.
    ///
    /// The closure receives columns, and returns the SQL of bits that tell which of the values to note.
    private func calls(_ entity: ResolvedEntity, _ alias: String, _ bits: ([String]) -> String) -> [String] {
        let columns = values[entity.index].map { entity.columns[$0].quotedName }
        return stride(from: 0, to: columns.count, by: Self.width).map { start in
            let part = Array(columns[start..<min(start + Self.width, columns.count)])
            let arguments =
                ["\(entity.index)", "\(alias).\(ResolvedEntity.quotedKeyColumn)", "\(start)", bits(part)]
                + part.map { "\(alias).\($0)" }
            return "larder_old(\(arguments.joined(separator: ", ")))"
        }
    }

    /// Returns the two arguments of `larder_note` that identify a row.
    private static func row(_ alias: String, _ key: [String]) -> [String] {
        let columns = key.map { "\(alias).\($0.quotedIdentifier)" }
        return columns.count == 1 ? columns + ["0"] : columns
    }

    /// The number of columns that one argument of `larder_note` describes.
    private static let width = 63

    /// Returns the arguments of `larder_note` whose bits tell which columns an update has changed.
    private static func changed(_ columns: [String]) -> [String] {
        stride(from: 0, to: columns.count, by: width).map { start in
            columns[start..<min(start + width, columns.count)].enumerated()
                .map { "((old.\($1) IS NOT new.\($1)) << \($0))" }
                .joined(separator: " | ")
        }
    }

    /// Returns the columns that arguments of `larder_note` describe, of a table with `count` columns.
    static func columns(_ arguments: some Sequence<Int64>, of count: Int) -> ColumnSet {
        var columns = ColumnSet()
        for (place, argument) in arguments.enumerated() {
            var bits = argument
            while bits != 0 {
                let column = place * width + bits.trailingZeroBitCount
                if column < count { columns.insert(column) }
                bits &= bits - 1
            }
        }
        return columns
    }
}
#endif
