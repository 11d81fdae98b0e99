#if Objects
internal import GRDB

/// What a database says about the model it was made for.
///
/// Documentation/Formats/objects-v1.md describes the tables.
struct StoredSchema {
    /// In the header of every database of object storage: "LRDO".
    static let applicationID: Int64 = 0x4C52_444F
    /// The version of what Larder itself keeps, beside the tables of the model.
    static let formatVersion: Int64 = 1

    let version: Int
    let fingerprint: String
    /// The description as it is stored.
    private let text: String
    private let path: String

    /// What was stored; only needed where the fingerprint is not that of the model.
    ///
    /// - Throws: ``ObjectError`` of code `damaged`.
    func description() throws -> SchemaDescription {
        do { return try SchemaDescription(text: text) } catch { throw Self.damaged(path) }
    }

    private static func damaged(_ path: String) -> ObjectError {
        ObjectError(
            .damaged,
            "The description of the model is missing from the database: restore a copy, or start anew.",
            path: path
        )
    }

    /// Reads it; changes nothing.
    static func read(_ statements: StatementCache, path: String) throws -> StoredSchema {
        guard try statements.integers("PRAGMA application_id") == [applicationID] else {
            throw ObjectError(
                .foreignDatabase,
                "The file is a database of another application: nothing was changed, choose another file.",
                path: path
            )
        }
        guard let format = try statements.integers("PRAGMA user_version").first, format <= formatVersion else {
            throw ObjectError(
                .storeIsNewer,
                "The file was written by a newer version of Larder: nothing was changed, update this program.",
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
        return StoredSchema(version: Int(row.0), fingerprint: fingerprint, text: text, path: path)
    }

    /// Makes everything in an empty database.
    static func create(_ model: ResolvedModel, _ statements: StatementCache) throws {
        try statements.run("PRAGMA application_id = \(applicationID)")
        try statements.run("PRAGMA user_version = \(formatVersion)")
        try statements.run("BEGIN IMMEDIATE")
        try statements.run(
            "CREATE TABLE larder_model (version INTEGER NOT NULL, fingerprint TEXT NOT NULL, description TEXT NOT NULL) STRICT"
        )
        try statements.run("CREATE TABLE larder_sequence (next INTEGER NOT NULL) STRICT")
        try statements.run("INSERT INTO larder_sequence VALUES (1)")
        for statement in SchemaStatements(model: model).everything() { try statements.run(statement) }
        try describe(model, statements)
        try statements.run("COMMIT")
    }

    /// Adds what the model has and the database lacks; inside a transaction.
    static func apply(_ change: SchemaChange, _ model: ResolvedModel, _ statements: StatementCache) throws {
        for (statement, values) in zip(change.statements, change.values) { try statements.run(statement, values) }
        try describe(model, statements)
    }

    private static func describe(_ model: ResolvedModel, _ statements: StatementCache) throws {
        let description = SchemaDescription(model)
        try statements.run("DELETE FROM larder_model")
        try statements.run(
            "INSERT INTO larder_model VALUES (?, ?, ?)",
            [.integer(Int64(model.version)), .text(try description.fingerprint()), .text(try description.text())]
        )
    }
}
#endif
