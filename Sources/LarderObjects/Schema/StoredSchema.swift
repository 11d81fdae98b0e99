#if Objects
internal import GRDB

/// The schema of a database, as stored in Larder's own tables.
///
/// Documentation/Formats/objects-v3.md describes the tables.
struct StoredSchema {
    /// The application id in the header of every LarderObjects database, which reads "LRDO".
    static let applicationID: Int64 = 0x4C52_444F
    /// The format version of Larder's own tables in a new database.
    ///
    /// The first writable opening upgrades a database with a lower version.
    static let formatVersion: Int64 = 3

    /// The format version of Larder's own tables in this database.
    let format: Int64
    let version: Int
    let fingerprint: String
    /// The schema description as stored, in JSON.
    private let text: String
    private let path: String

    /// Decodes the stored schema description.
    ///
    /// Decoding is necessary only if the stored fingerprint differs from the model's fingerprint.
    ///
    /// - Throws: ``ObjectError`` with code `damaged` if the description can't be decoded.
    func description() throws -> SchemaDescription { try frozen().schema }

    /// Decodes the stored schema description and migration declarations.
    ///
    /// - Throws: ``ObjectError`` with code `damaged` if the description can't be decoded.
    func frozen() throws -> FrozenModel {
        do { return try FrozenModel(version: version, descriptionText: text) } catch { throw Self.damaged(path) }
    }

    /// Returns whether `other` contains the same stored schema.
    func isSame(as other: StoredSchema) -> Bool {
        format == other.format && version == other.version && text == other.text
    }

    private static func damaged(_ path: String) -> ObjectError {
        ObjectError(
            .damaged,
            "The schema description in the database is missing or corrupt. Restore a backup, or create a new database.",
            path: path
        )
    }

    /// Reads the stored schema of a database.
    ///
    /// - Throws: ``ObjectError`` with code `foreignDatabase`, `storeIsNewer` or `damaged`, or the error that SQLite reports.
    static func read(_ statements: StatementCache, path: String) throws -> StoredSchema {
        guard try statements.integers("PRAGMA application_id") == [applicationID] else {
            throw ObjectError(
                .foreignDatabase,
                "The file is a database of another application, so nothing was changed. Choose another file.",
                path: path
            )
        }
        guard let format = try statements.integers("PRAGMA user_version").first, format <= formatVersion else {
            throw ObjectError(
                .storeIsNewer,
                "The file was written by a newer version of Larder, so nothing was changed. Update this program.",
                path: path
            )
        }
        let rows: [(Int64, ColumnValue, ColumnValue)]
        do {
            rows = try statements.rows("SELECT version, fingerprint, description FROM larder_model") { row in
                (row.integer(at: 0), row.value(at: 1), row.value(at: 2))
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The table or one of its columns is missing.
            throw damaged(path)
        }
        guard let row = rows.first, case .text(let fingerprint) = row.1, case .text(let text) = row.2 else {
            throw damaged(path)
        }
        return StoredSchema(format: format, version: Int(row.0), fingerprint: fingerprint, text: text, path: path)
    }

    /// Creates all tables of a model, including Larder's own tables, in an empty database.
    static func create(_ model: FrozenModel, _ statements: StatementCache) throws {
        try statements.run("PRAGMA application_id = \(applicationID)")
        try statements.run("PRAGMA user_version = \(formatVersion)")
        try statements.run("BEGIN IMMEDIATE")
        try statements.run(
            "CREATE TABLE larder_model (version INTEGER NOT NULL, fingerprint TEXT NOT NULL, description TEXT NOT NULL) STRICT"
        )
        try statements.run("CREATE TABLE larder_sequence (next INTEGER NOT NULL) STRICT")
        try statements.run("INSERT INTO larder_sequence VALUES (1)")
        try statements.run(SchemaHistory.table)
        try statements.run(FormerNames.table)
        try SharingSchema.createTables(statements)
        for statement in SchemaStatements(model.schema).everything() { try statements.run(statement) }
        try SharingSchema.createTriggers(model.schema, statements)
        try describe(model, MigrationSummary(actions: ["create the database"]), statements)
        try statements.run("COMMIT")
    }

    /// Upgrades Larder's own tables to the current format.
    ///
    /// The caller must have begun the migration's transaction, and must create the triggers afterward.
    ///
    /// - Throws: The error that SQLite reports. The caller must roll back the transaction.
    func upgradeFormat(_ statements: StatementCache) throws {
        guard format < Self.formatVersion else { return }
        if format < 2 {
            try statements.run(SchemaHistory.table)
            try statements.run(FormerNames.table)
            try SchemaHistory.add(try frozen(), MigrationSummary(actions: ["found in format 1"]), statements)
        }
        try SharingSchema.createTables(statements)
        try statements.run("PRAGMA user_version = \(Self.formatVersion)")
    }

    /// Replaces the description of format 1 by that of the program's model, which has the same schema.
    ///
    /// The caller must have begun the migration's transaction.
    ///
    /// - Throws: The error that SQLite reports. The caller must roll back the transaction.
    func completeDescription(_ model: FrozenModel, _ statements: StatementCache) throws {
        guard format < 2 else { return }
        try Self.describe(model, MigrationSummary(actions: ["upgrade to format \(Self.formatVersion)"]), statements)
    }

    /// Records a completed migration step: the new schema, the renamed entities and a history entry.
    ///
    /// The caller must have begun the migration's transaction.
    ///
    /// - Parameters:
    ///   - step: The completed migration step.
    ///   - losses: The data that the step discarded.
    ///   - backup: The file name of the backup that was made before the migration, or `nil` if no backup was made.
    ///   - statements: The connection's statement cache.
    /// - Throws: The error that SQLite reports. The caller must roll back the transaction.
    static func record(
        _ step: PathStep,
        losses: [MigrationLoss],
        backup: String?,
        _ statements: StatementCache
    ) throws {
        let inferred = step.inferred
        let renames = inferred.entities.compactMap { entity -> (old: String, new: String)? in
            guard let old = entity.old, old.name != entity.new.name else { return nil }
            return (old.name, entity.new.name)
        }
        try FormerNames.rename(renames, dropped: inferred.droppedEntities.map(\.name), statements)
        let summary = MigrationSummary(
            actions: step.actions,
            losses: losses.map {
                .init(kind: $0.kind, entity: $0.entity, property: $0.property, count: $0.count ?? 0)
            },
            backup: backup
        )
        try describe(inferred.to, summary, statements)
    }

    private static func describe(
        _ model: FrozenModel,
        _ summary: MigrationSummary,
        _ statements: StatementCache
    ) throws {
        try statements.run("DELETE FROM larder_model")
        try statements.run(
            "INSERT INTO larder_model VALUES (?, ?, ?)",
            [.integer(Int64(model.version)), .text(model.fingerprint), .text(try model.descriptionText())]
        )
        try SchemaHistory.add(model, summary, statements)
    }
}
#endif
