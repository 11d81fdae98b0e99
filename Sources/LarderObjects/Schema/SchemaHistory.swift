#if Objects
internal import Foundation

/// The table `larder_history`, which records the creation and every migration step of a database.
enum SchemaHistory {
    static let table =
        "CREATE TABLE larder_history (step INTEGER PRIMARY KEY, version INTEGER NOT NULL, fingerprint TEXT NOT NULL, "
        + "description TEXT NOT NULL, finished REAL NOT NULL, summary TEXT NOT NULL) STRICT"

    static func add(_ model: FrozenModel, _ summary: MigrationSummary, _ statements: StatementCache) throws {
        try statements.run(
            "INSERT INTO larder_history (version, fingerprint, description, finished, summary) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(Int64(model.version)), .text(model.fingerprint), .text(try model.descriptionText()),
                .real(Date().timeIntervalSinceReferenceDate), .text(try summary.text()),
            ]
        )
    }
}
#endif
