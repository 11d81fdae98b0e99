#if Objects
/// The SQL statements of a migration step, in execution order.
///
/// Documentation/Decisions/0060-plan.md explains the order.
struct StepStatements {
    /// A statement that fills a new table or new columns.
    ///
    /// The statement runs once for each batch of ids.
    struct Filling: Hashable {
        let entity: String
        /// The name of the table whose rows are divided into batches by id.
        let table: String
        /// The SQL statement, whose parameters are the exclusive lower bound and the inclusive upper bound of the batch's ids.
        let sql: String
    }

    enum Statement: Hashable {
        case sql(String)
        case filling(Filling)
        /// Runs a custom migration stage, while both the old and the new rows exist.
        case stage
        /// Applies the deferred changes of a custom migration stage.
        ///
        /// At this point, the tables have the new schema, but the new indexes have not been created.
        case stageEnd
        /// Deletes the duplicate objects that violate a new unique constraint.
        ///
        /// At this point, the tables have the new schema, but the new indexes have not been created.
        case duplicates(DuplicateRemoval)
    }

    private(set) var all: [Statement] = []
    private let step: InferredStep
    let make: SchemaStatements
    let tables: NamePlan

    init(_ step: InferredStep) {
        self.step = step
        make = SchemaStatements(step.to.schema)
        let renames: [(old: String, new: String?)] = step.entities.compactMap { entity in
            entity.old.map { ($0.name, entity.new.name) }
        }
        let joins: [(old: String, new: String?)] = step.joins.map { ($0.old, $0.new) }
        let dropped: [(old: String, new: String?)] = (step.droppedEntities.map(\.name) + step.droppedJoins)
            .map { ($0, nil) }
        tables = NamePlan(
            dropped + renames + joins,
            taken: Set(step.from.schema.entities.map(\.name) + step.from.schema.joinNames)
        )
        dropIndexes()
        for move in tables.moves {
            add("ALTER TABLE \(move.from.quotedIdentifier) RENAME TO \(move.to.quotedIdentifier)")
        }
        renameColumns()
        addColumns()
        createTables()
        rebuild()
        fill()
        moveLinks()
        all.append(.stage)
        drop()
        all.append(.stageEnd)
        removeDuplicates()
        createIndexes()
    }

    /// The SQL text of all statements, for a preview.
    var texts: [String] {
        all.compactMap { statement in
            switch statement {
            case .sql(let sql): sql
            case .filling(let filling): filling.sql
            case .stage, .stageEnd, .duplicates: nil
            }
        }
    }

    private mutating func add(_ sql: String) { all.append(.sql(sql)) }

    /// Returns whether the migration step leaves an index on an altered table unchanged.
    private func keeps(_ group: [String], _ entity: EntityStep) -> Bool {
        guard let old = entity.old, old.name == entity.new.name else { return false }
        return group.allSatisfy { name in
            zip(entity.new.columns, entity.sources).contains { $0.name == name && $1 == .column(name) }
        }
    }

    /// Returns the names of the indexes of an entity that the migration step leaves unchanged.
    func keptIndexes(_ entity: EntityStep) -> Set<String> {
        guard let old = entity.old, [.keep, .alter].contains(entity.work) else { return [] }
        func names(_ kind: String, _ old: [[String]], _ new: [[String]]) -> [String] {
            old.filter { new.contains($0) && keeps($0, entity) }
                .map { SchemaStatements.indexName(entity.new.name, kind, $0) }
        }
        return Set(
            names("unique", old.unique, entity.new.unique) + names("index", old.indexes, entity.new.indexes)
        )
    }

    private mutating func dropIndexes() {
        for entity in step.entities {
            guard let old = entity.old else { continue }
            let kept = keptIndexes(entity)
            for name in old.indexNames where !kept.contains(name) { add("DROP INDEX \(name.quotedIdentifier)") }
        }
        for entity in step.droppedEntities {
            for name in entity.indexNames { add("DROP INDEX \(name.quotedIdentifier)") }
        }
        let renamed = step.joins.filter { $0.old != $0.new }.map(\.old)
        for join in renamed + step.droppedJoins { add("DROP INDEX \((join + ".target").quotedIdentifier)") }
    }

    private mutating func renameColumns() {
        for entity in step.entities where entity.work == .alter {
            let plan = NamePlan(
                entity.renames.map { ($0.old, $0.new) },
                taken: Set((entity.old?.columns.map(\.name) ?? []) + [ResolvedEntity.keyColumn])
            )
            for move in plan.moves {
                add(
                    "ALTER TABLE \(entity.new.name.quotedIdentifier) RENAME COLUMN \(move.from.quotedIdentifier) "
                        + "TO \(move.to.quotedIdentifier)"
                )
            }
        }
    }

    private mutating func addColumns() {
        for entity in step.entities where entity.work == .alter {
            for (column, _) in entity.additions {
                add(
                    "ALTER TABLE \(entity.new.name.quotedIdentifier) ADD COLUMN \(SchemaStatements.definition(column))"
                )
            }
        }
    }

    private mutating func createTables() {
        for entity in step.entities where entity.work == .create { add(make.table(entity.new)) }
        for (join, statements) in make.joinTables() where step.newJoins.contains(join.name) {
            for statement in statements { add(statement) }
        }
    }

    /// Returns the temporary name of an entity's new table, used until the old table is dropped.
    static func rebuilt(_ name: String) -> String { "larder_new_\(name)" }

    private mutating func rebuild() {
        for entity in step.entities where entity.work == .rebuild {
            let new = Self.rebuilt(entity.new.name)
            add(make.table(entity.new, named: new))
            let columns = [ResolvedEntity.quotedKeyColumn] + entity.new.columns.map(\.name.quotedIdentifier)
            let values =
                [ResolvedEntity.quotedKeyColumn]
                + entity.sources.map { isFoldedLater($0, entity) ? "NULL" : value($0, entity, isRebuilt: true) }
            let sql =
                "INSERT INTO \(new.quotedIdentifier) (\(columns.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM \(entity.new.name.quotedIdentifier)" + Self.chunk
            all.append(
                .filling(Filling(entity: entity.new.name, table: entity.new.name, sql: sql + " ORDER BY objectID"))
            )
            foldLater(entity, in: new)
        }
    }

    /// Returns whether a second statement fills a case-folded column from the attribute's new value.
    ///
    /// A conversion must run only once per value, so that losses are not counted twice.
    private func isFoldedLater(_ source: ColumnSource, _ entity: EntityStep) -> Bool {
        guard case .folded(let attribute) = source,
            let place = entity.new.columns.firstIndex(where: { $0.name == attribute })
        else { return false }
        switch entity.sources[place] {
        case .converted, .perRow: return true
        case .column, .constant, .folded, .null: return false
        }
    }

    private mutating func foldLater(_ entity: EntityStep, in table: String) {
        let columns = zip(entity.new.columns, entity.sources).filter { isFoldedLater($1, entity) }.map(\.0.name)
        guard !columns.isEmpty else { return }
        let assignments = columns.map { column in
            let attribute = String(column.dropLast(".folded".count))
            return "\(column.quotedIdentifier) = larder_folded(\(attribute.quotedIdentifier))"
        }
        let sql = "UPDATE \(table.quotedIdentifier) SET \(assignments.joined(separator: ", "))" + Self.chunk
        all.append(.filling(Filling(entity: entity.new.name, table: table, sql: sql)))
    }

    private static let chunk = " WHERE objectID > ? AND objectID <= ?"

    private mutating func fill() {
        for entity in step.entities where entity.work == .alter {
            let filled = entity.additions.filter { $0.source != .null && !isFoldedLater($0.source, entity) }
            guard !filled.isEmpty else { continue }
            let assignments = filled.map { column, source in
                "\(column.name.quotedIdentifier) = \(value(source, entity, isRebuilt: false))"
            }
            let table = entity.new.name.quotedIdentifier
            let sql = "UPDATE \(table) SET \(assignments.joined(separator: ", "))" + Self.chunk
            all.append(.filling(Filling(entity: entity.new.name, table: entity.new.name, sql: sql)))
            foldLater(entity, in: entity.new.name)
        }
    }

    /// Returns the SQL expression for the new value of a column.
    private func value(_ source: ColumnSource, _ entity: EntityStep, isRebuilt: Bool) -> String {
        switch source {
        case .column(let name): return name.quotedIdentifier
        case .converted(let name, let slot):
            let call = "larder_convert(\(slot), \(ResolvedEntity.quotedKeyColumn), \(name.quotedIdentifier))"
            guard let shortcut = step.slots[slot].shortcut(name.quotedIdentifier) else { return call }
            return "CASE WHEN \(shortcut.condition) THEN \(shortcut.result) ELSE \(call) END"
        case .constant(let value): return value.sqlLiteral
        case .perRow(let attribute):
            return "larder_default(\(Self.text(entity.new.name)), \(Self.text(attribute)))"
        case .folded(let attribute):
            let place = entity.new.columns.firstIndex { $0.name == attribute }
            let source = place.map { entity.sources[$0] } ?? .column(attribute)
            // In an altered table, the column has its new name. A column that the same statement sets still has its old value.
            if !isRebuilt, case .column = source { return "larder_folded(\(attribute.quotedIdentifier))" }
            return "larder_folded(\(value(source, entity, isRebuilt: isRebuilt)))"
        case .null: return "NULL"
        }
    }

    private static func text(_ text: String) -> String { ColumnValue.text(text).sqlLiteral }

    private mutating func moveLinks() {
        for move in step.moves {
            let isRebuilt = step.entities.contains { $0.new.name == move.entity && $0.work == .rebuild }
            let table = isRebuilt ? Self.rebuilt(move.entity) : move.entity
            for sql in move.statements(from: tables.name(of: move.query.table), into: table) { add(sql) }
        }
    }

    private mutating func drop() {
        for join in step.droppedJoins { add("DROP TABLE \(tables.name(of: join).quotedIdentifier)") }
        for entity in step.entities where entity.work == .alter {
            for column in entity.dropped {
                add(
                    "ALTER TABLE \(entity.new.name.quotedIdentifier) DROP COLUMN \(column.quotedIdentifier)"
                )
            }
        }
        for entity in step.entities where entity.work == .rebuild {
            add("DROP TABLE \(entity.new.name.quotedIdentifier)")
            add(
                "ALTER TABLE \(Self.rebuilt(entity.new.name).quotedIdentifier) RENAME TO \(entity.new.name.quotedIdentifier)"
            )
        }
        for entity in step.droppedEntities { add("DROP TABLE \(tables.name(of: entity.name).quotedIdentifier)") }
    }

    private mutating func removeDuplicates() {
        for loss in step.losses where loss.kind == .duplicate {
            guard let kept = loss.kept, let group = loss.group else { continue }
            all.append(.duplicates(DuplicateRemoval(entity: loss.entity, group: group, kept: kept)))
        }
    }

    private mutating func createIndexes() {
        for entity in step.entities {
            let kept = keptIndexes(entity)
            for (name, sql) in SchemaStatements.indexes(entity.new) where !kept.contains(name) { add(sql) }
        }
        for (join, statements) in make.joinTables()
        where step.joins.contains(where: { $0.new == join.name && $0.old != $0.new }) {
            for statement in statements.dropFirst() { add(statement) }
        }
    }
}

extension ColumnValue {
    /// The value as an SQL literal.
    var sqlLiteral: String {
        switch self {
        case .null: return "NULL"
        case .integer(let integer) where integer == .min: return "(-9223372036854775807 - 1)"
        case .integer(let integer): return String(integer)
        // SQLite parses the shortest digits of a number as the same number, and a number that is too large as infinity.
        case .real(let real) where real.isInfinite: return real < 0 ? "-9e999" : "9e999"
        case .real(let real): return "\(real)"
        case .text(let text):
            // SQLite ends a string literal at U+0000.
            if text.utf8.contains(0) { return "CAST(x'\(Self.hexadecimal(text.utf8))' AS TEXT)" }
            return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .blob(let data): return "x'\(Self.hexadecimal(data))'"
        }
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
#endif
