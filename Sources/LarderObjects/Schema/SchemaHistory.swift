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

    /// Returns all entries, oldest first.
    ///
    /// - Throws: ``ObjectError`` with code `damaged` if an entry can't be decoded, or an error of SQLite.
    static func entries(_ statements: StatementCache, path: String) throws -> [SchemaHistoryEntry] {
        try statements.rows("SELECT version, description, finished, summary FROM larder_history ORDER BY step") { row in
            guard case .text(let description) = row.value(at: 1), case .text(let text) = row.value(at: 3),
                let model = try? FrozenModel(version: Int(row.integer(at: 0)), descriptionText: description),
                let summary = try? JSONDecoder().decode(MigrationSummary.self, from: Data(text.utf8))
            else {
                throw ObjectError(
                    .damaged,
                    "The schema history can't be read, but the objects are not affected. Restore a backup if you need the history.",
                    path: path
                )
            }
            let seconds: Double =
                switch row.value(at: 2) {
                case .real(let seconds): seconds
                case .integer(let seconds): Double(seconds)
                case .null, .text, .blob: 0
                }
            return SchemaHistoryEntry(
                model: model,
                date: Date(timeIntervalSinceReferenceDate: seconds),
                actions: summary.actions,
                losses: summary.losses.map {
                    .init(kind: $0.kind, entity: $0.entity, property: $0.property, count: $0.count)
                },
                backup: summary.backup
            )
        }
    }
}
#endif
