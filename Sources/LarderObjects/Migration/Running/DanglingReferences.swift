#if Objects
internal import LarderCore

/// A check of rewritten tables for references to missing rows.
///
/// References that were already dangling are reported, but don't make the migration fail.
struct DanglingReferences {
    /// The temporary table that holds the ids of objects deleted by the migration.
    private static let deleted = "temp.larder_deleted"

    private let entities: [SchemaDescription.Entity]
    private let statements: StatementCache

    init(in entities: [SchemaDescription.Entity], _ statements: StatementCache) {
        self.entities = entities
        self.statements = statements
    }

    /// Records that the migration deleted the objects in a table.
    static func note(deleted table: String, _ statements: StatementCache) throws {
        try statements.run("CREATE TABLE IF NOT EXISTS \(deleted) (id INTEGER PRIMARY KEY)")
        try statements.run("INSERT OR IGNORE INTO \(deleted) SELECT id FROM \(table)")
    }

    /// Reports references that were already dangling before the migration.
    ///
    /// - Throws: ``ObjectError`` with code `damaged` if a reference points to an object that the migration deleted.
    func check() throws {
        try statements.run("CREATE TABLE IF NOT EXISTS \(Self.deleted) (id INTEGER PRIMARY KEY)")
        let key = ResolvedEntity.quotedKeyColumn
        var count = 0
        var first: String?
        for entity in entities {
            for column in entity.columns {
                guard let destination = column.destination else { continue }
                let name = column.name.quotedIdentifier
                let dangling =
                    "FROM \(entity.name.quotedIdentifier) WHERE \(name) IS NOT NULL AND \(name) NOT IN "
                    + "(SELECT \(key) FROM \(destination.quotedIdentifier))"
                let ids = try statements.integers("SELECT \(key) \(dangling) ORDER BY \(key) LIMIT 1")
                guard let id = ids.first else { continue }
                let own = try statements.integers(
                    "SELECT \(key) \(dangling) AND \(name) IN (SELECT id FROM \(Self.deleted)) LIMIT 1"
                )
                if let id = own.first {
                    throw ObjectError(
                        .damaged,
                        "The migration was rolled back because \(entity.name)/\(id).\(column.name) would refer to an object that the "
                            + "migration deletes. Report this as a bug in Larder."
                    )
                }
                count += Int(try statements.integers("SELECT count(*) \(dangling)").first ?? 0)
                first = first ?? "\(entity.name)/\(id).\(column.name)"
            }
        }
        try statements.run("DROP TABLE \(Self.deleted)")
        guard let first else { return }
        let references = count == 1 ? "1 reference to a missing object" : "\(count) references to missing objects"
        IssueChannel(label: "larder.objects").report(
            LarderIssue(
                .damaged,
                "The database already had \(references) before the migration (first: \(first)). "
                    + "Call verify() to list the references, then set each to another object."
            )
        )
    }
}
#endif
