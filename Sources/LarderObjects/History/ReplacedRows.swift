#if Objects
/// The SQL that records the rows which `REPLACE` of another program deletes because a new row has the same unique values.
///
/// SQLite runs no delete triggers for these rows. So a trigger notes them before the new row is written, with a key that readers ignore.
/// After the row was written, another trigger turns the notes of rows that no longer exist into deletions. If the row was not replaced, because the statement
/// ignores or resolves the conflict, the note remains.
struct ReplacedRows {
    /// The number of rows of `larder_save` in which notes are looked for, in addition to one for each unique constraint.
    ///
    /// The triggers of a program may record other changes in between.
    private static let others = 8

    /// The number of triggers of an entity that has unique constraints.
    static let triggersPerEntity = 4

    private let entity: SchemaDescription.Entity

    init(_ entity: SchemaDescription.Entity) { self.entity = entity }

    private var table: String { entity.name.quotedIdentifier }

    /// The SQL string that begins a description of one change.
    private func beginning(_ kind: String) -> String {
        "'{\(SaveText.quoted(entity.name).replacing("'", with: "''")):{\"\(kind)\":['"
    }

    /// The statement that turns notes into deletions.
    private var deletions: String {
        let note = beginning("replaced")
        let rest = "substr(changes, length(\(note)) + 1)"
        return "UPDATE larder_save SET changes = \(beginning("deleted")) || \(rest) "
            + "WHERE token > (SELECT max(token) FROM larder_save) - \(entity.unique.count + Self.others) "
            + "AND process IS NULL AND substr(changes, 1, length(\(note))) = \(note) "
            + "AND NOT EXISTS (SELECT 1 FROM \(table) WHERE \(ResolvedEntity.quotedKeyColumn) = CAST(\(rest) AS INTEGER)); "
    }

    /// The statements that create the triggers, none if the entity has no unique constraints.
    var triggers: [String] {
        guard !entity.unique.isEmpty else { return [] }
        let columns = Set(entity.unique.joined()).sorted().map(\.quotedIdentifier).joined(separator: ", ")
        return [
            trigger("beforeInsert", "BEFORE INSERT", notes(except: "new")),
            trigger("beforeUpdate", "BEFORE UPDATE OF \(columns)", notes(except: "old")),
            trigger("afterInsert", "AFTER INSERT", deletions),
            trigger("afterUpdate", "AFTER UPDATE OF \(columns)", deletions),
        ]
    }

    private func trigger(_ name: String, _ event: String, _ body: String) -> String {
        "CREATE TRIGGER \("larder.\(name).\(entity.name)".quotedIdentifier) \(event) ON \(table) BEGIN \(body)END"
    }

    /// Returns the statements that note the rows which have the unique values of a new row, except the row itself.
    private func notes(except row: String) -> String {
        let key = ResolvedEntity.quotedKeyColumn
        return entity.unique.map { columns in
            let equal = columns.map(\.quotedIdentifier).map { "t.\($0) = new.\($0)" }.joined(separator: " AND ")
            return "INSERT INTO larder_save (changes) SELECT \(beginning("replaced")) || t.\(key) || ']}}' "
                + "FROM \(table) AS t WHERE \(equal) AND t.\(key) IS NOT \(row).\(key); "
        }.joined()
    }
}
#endif
