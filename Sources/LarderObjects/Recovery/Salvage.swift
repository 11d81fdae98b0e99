#if Objects
internal import GRDB
internal import LarderCore

/// A procedure that copies all readable rows of a corrupt database into an empty database.
struct Salvage {
    private let database: StoredDatabase
    private let model: FrozenModel
    private let tables: [SalvageTable]
    /// The program's model and the migration step to it, or `nil` if the rows are not converted.
    private let target: (model: ResolvedModel, step: InferredStep)?
    private var notes: [String] = []

    /// Reads the schema and the model description from the database.
    ///
    /// - Parameters:
    ///   - file: The pages of the corrupt database.
    ///   - model: The program's model, used if the model description in the database is lost.
    ///   - target: The model to which the rows are converted, or `nil` to keep the stored model.
    ///   - path: The path of the database, included in errors.
    /// - Throws: ``ObjectError`` with code `foreignDatabase` or `storeIsNewer`, or with code `damaged` if the model description is lost and
    ///   `model` is `nil`.
    init(_ file: PageFile, model: FrozenModel?, target: ResolvedModel? = nil, path: String?) throws {
        database = StoredDatabase(file)
        if file.header != nil, !database.isObjectStorage, database.frozen == nil {
            throw ObjectError(
                .foreignDatabase,
                "The file is a database of another application, so nothing was changed. Choose another file.",
                path: path
            )
        }
        if database.isObjectStorage, database.format > StoredSchema.formatVersion {
            throw ObjectError(
                .storeIsNewer,
                "The file was written by a newer version of Larder, so nothing was changed. Update this program.",
                path: path
            )
        }
        let candidates = [database.frozen, model].compactMap(\.self)
        guard let first = candidates.first, let last = candidates.last else {
            throw ObjectError(
                .damaged,
                "The model description stored in the database is lost, so nothing was salvaged. Pass the program's model to salvage.",
                path: path
            )
        }
        let (stored, given) = (SalvageTable.all(of: first, database), SalvageTable.all(of: last, database))
        // A model description on an outdated page does not match the columns of the tables.
        let isStale = given.count { $0.shape != nil } > stored.count { $0.shape != nil }
        let source = isStale ? last : first
        var tables = isStale ? given : stored
        if let target, try target.frozen().fingerprint != source.fingerprint {
            let step = InferredStep(from: source, to: try target.frozen(), isFirstFormat: database.format < 2)
            for index in tables.indices { tables[index].target = Self.target(of: tables[index], step, target) }
            self.target = (target, step)
            self.model = step.to
        } else {
            for index in tables.indices { tables[index].target = .same }
            self.target = nil
            self.model = source
        }
        self.tables = tables
        if file.header == nil {
            notes.append("The file header is lost. A page size of \(file.pageSize) bytes was assumed.")
        }
        if !database.isSchemaWhole { notes.append("Part of the database schema can't be read.") }
        if database.frozen == nil || isStale {
            notes.append(
                "The model description stored in the database could not be recovered, so the program's model was used instead."
            )
        }
        if let moves = self.target?.step.moves.count, moves > 0 {
            notes.append(
                "\(counted(moves, "relationship")) could not be recovered, because the model stores \(moves == 1 ? "it" : "them") in a different table or column."
            )
        }
    }

    private static func target(of table: SalvageTable, _ step: InferredStep, _ model: ResolvedModel) -> SalvageTarget? {
        guard let shape = table.shape else { return nil }
        if table.isJoin {
            guard let join = step.joins.first(where: { $0.old == table.name }) else { return nil }
            let old = Set(shape.names)
            let new = SchemaStatements(step.to.schema).joinTables().first { $0.table.name == join.new }?.table
            // The links can be copied only if both tables have the same position columns.
            let isSame = new.map {
                $0.isSourceOrdered == old.contains("sourcePosition")
                    && $0.isTargetOrdered == old.contains("targetPosition")
            }
            return isSame == true ? .join(join.new) : nil
        }
        guard let entity = step.entities.first(where: { $0.old?.name == table.name }) else { return nil }
        return .converted(RowConversion(entity, step.slots, shape, model))
    }

    /// Creates the tables of the new database and copies the rows.
    ///
    /// - Parameters:
    ///   - statements: The statement cache of a connection to an empty database. The connection must not enforce foreign keys.
    ///   - progress: A closure that receives the number of pages read.
    /// - Returns: The report of the kept, lost and doubtful rows.
    /// - Throws: The error that SQLite reports. The caller must then remove the new database.
    func run(_ statements: StatementCache, progress: ((StoreProgress) -> Void)? = nil) throws -> SalvageReport {
        try StoredSchema.create(model, statements)
        try statements.run("BEGIN IMMEDIATE")
        try SharingSchema.dropTriggers(statements)
        for entity in model.schema.entities {
            for index in SchemaStatements.indexes(entity) {
                try statements.run("DROP INDEX \(index.name.quotedIdentifier)")
            }
        }
        let doubtful = try DoubtfulRows(statements)
        var copy = SalvageCopy(tables, database, statements, doubtful, progress)
        for index in tables.indices { try copy.copy(index) }
        try copy.collectPages()
        var repair = SalvageRepair(model.schema, statements, doubtful)
        copy.addReferences(try repair.missingObjects())
        try repair.run()
        if repair.hasSharedIDs { copy.hasReplacedPages = true }
        for entity in model.schema.entities {
            for index in SchemaStatements.indexes(entity) { try statements.run(index.sql) }
        }
        try copyOwnTables(statements)
        let report = try report(&copy, doubtful, repair.repaired, statements)
        if try statements.integers("SELECT 1 FROM larder_in_doubt LIMIT 1").isEmpty {
            try statements.run("DROP TABLE larder_in_doubt")
        }
        try statements.run("COMMIT")
        return report
    }

    /// Copies the readable rows of Larder's own tables.
    private func copyOwnTables(_ statements: StatementCache) throws {
        let key = ResolvedEntity.quotedKeyColumn
        var next = database.sequence ?? 1
        for table in model.schema.entities.map(\.name.quotedIdentifier) {
            let last = try statements.integers("SELECT ifnull(max(\(key)), 0) FROM \(table)").first ?? 0
            next = max(next, last + 1)
        }
        let doubtful = try statements.integers("SELECT ifnull(max(objectID), 0) FROM larder_in_doubt").first ?? 0
        // An id in doubt must not be reused for another object.
        if doubtful < .max { next = max(next, doubtful + 1) }
        try statements.run("UPDATE larder_sequence SET next = ?", [.integer(next)])
        try database.forEachRow(of: "larder_in_doubt") { values in
            guard values.count == 5 else { return }
            try statements.run("INSERT INTO larder_in_doubt VALUES (?, ?, ?, ?, ?)", values)
        }
        guard database.format >= 2 || target != nil else {
            // Format 1 does not record which renames are complete.
            try statements.run("DROP TABLE larder_history")
            try statements.run("DROP TABLE larder_former_name")
            try statements.run("DROP TABLE larder_save")
            try statements.run("DROP TABLE larder_timeline")
            return try statements.run("PRAGMA user_version = 1")
        }
        for (_, values) in database.rows(of: "larder_former_name") {
            guard values.count == 2, case .text = values[0], case .text = values[1] else { continue }
            try statements.run("INSERT OR IGNORE INTO larder_former_name VALUES (?, ?)", values)
        }
        if let step = target?.step {
            let renames = step.entities.compactMap { entity in
                entity.old.flatMap { $0.name == entity.new.name ? nil : (old: $0.name, new: entity.new.name) }
            }
            try FormerNames.rename(renames, dropped: step.droppedEntities.map(\.name), statements)
        }
        try statements.run("DELETE FROM larder_history")
        for (step, values) in database.rows(of: "larder_history") {
            guard values.count == 6, case .integer = values[1], case .text = values[2], case .text = values[3],
                case .text = values[5]
            else { continue }
            var finished = values[4]
            if case .integer(let seconds) = finished { finished = .real(Double(seconds)) }
            guard case .real(let seconds) = finished, seconds.isFinite else { continue }
            try statements.run(
                "INSERT OR IGNORE INTO larder_history VALUES (?, ?, ?, ?, ?, ?)",
                [.integer(step), values[1], values[2], values[3], finished, values[5]]
            )
        }
        try SchemaHistory.add(model, MigrationSummary(actions: ["salvage a damaged database"]), statements)
        try SharingSchema.createTriggers(model.schema, statements)
    }

    private func report(
        _ copy: inout SalvageCopy,
        _ doubtful: DoubtfulRows,
        _ repaired: Int,
        _ statements: StatementCache
    ) throws -> SalvageReport {
        let inDoubt = try doubtful.counts()
        let lost = copy.lost()
        var notes = notes
        if copy.hasReplacedPages {
            notes.append(
                "Some pages contradict each other, as if an older version of a page or another page had replaced them. More objects may be lost than counted, and objects may be out of date."
            )
        }
        for (index, table) in tables.enumerated() {
            if table.stored == nil {
                notes.append("The table of \(table.name) is missing from the database schema.")
            } else if table.shape == nil {
                notes.append("The columns of the table of \(table.name) do not match the model.")
            }
            let lost = lost[index]
            if table.isJoin, lost.upperBound > 0 {
                notes.append("Some links of the relationship \(table.name) were lost: \(lost.words).")
            }
            if table.isJoin, let count = inDoubt[table.name] {
                notes.append(
                    "\(counted(count, "link")) of the relationship \(table.name) \(count == 1 ? "is" : "are") in doubt."
                )
            }
        }
        if copy.unreadableRows > 0 {
            notes.append("\(counted(copy.unreadableRows, "row")) on pages in doubt can't be read.")
        }
        // An entity that the model lacks or has renamed is listed by its stored name.
        var found: [String: (kept: Int, lost: ClosedRange<Int>, inDoubt: Int)] = [:]
        for entity in model.schema.entities {
            let kept = try statements.integers("SELECT count(*) FROM \(entity.name.quotedIdentifier)").first ?? 0
            found[entity.name] = (Int(kept), 0...0, inDoubt[entity.name] ?? 0)
        }
        for (table, lost) in zip(tables, lost) where !table.isJoin {
            found[table.name] = (found[table.name]?.kept ?? 0, lost, inDoubt[table.name] ?? 0)
        }
        let entities = found.map { SalvageReport.Entity(name: $0, kept: $1.kept, lost: $1.lost, inDoubt: $1.inDoubt) }
        return SalvageReport(
            entities: entities.sorted { $0.name < $1.name },
            unknownInDoubt: inDoubt[nil] ?? 0,
            repairedReferences: repaired,
            hasReplacedPages: copy.hasReplacedPages,
            notes: notes
        )
    }
}
#endif
