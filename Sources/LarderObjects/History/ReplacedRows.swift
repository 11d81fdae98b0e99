#if Objects
/// The SQL that records the rows which `REPLACE` of another program deletes because a new row has the same unique values.
///
/// SQLite runs no delete triggers for these rows. So a trigger notes them before the new row is written, with a key that readers ignore.
/// After the row was written, another trigger turns the notes of rows that no longer exist into deletions. If the row was not replaced,
/// because the statement ignores or resolves the conflict, the note remains until it is so old that no trigger looks at it.
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

    /// The number of rows in which notes are looked for.
    private var window: Int { entity.unique.count + Self.others }

    /// The SQL condition for a note of the entity.
    private var isNote: String {
        let note = beginning("replaced")
        return "process IS NULL AND substr(changes, 1, length(\(note))) = \(note)"
    }

    /// The statement that turns notes into deletions.
    ///
    /// A note before a save of Larder was left by a statement that had ended before the save. Larder may have deleted the row since then.
    private var deletions: String {
        let rest = "substr(larder_save.changes, length(\(beginning("replaced"))) + 1)"
        return "UPDATE larder_save SET changes = \(beginning("deleted")) || \(rest) "
            + "WHERE token > (SELECT max(token) FROM larder_save) - \(window) AND \(isNote) "
            + "AND NOT EXISTS (SELECT 1 FROM larder_save AS later "
            + "WHERE later.token > larder_save.token AND later.process IS NOT NULL) "
            + "AND NOT EXISTS (SELECT 1 FROM \(table) WHERE \(ResolvedEntity.quotedKeyColumn) = CAST(\(rest) AS INTEGER)); "
    }

    /// The statement that removes notes which ``deletions`` no longer looks at, so that a statement that ignores many conflicts does not
    /// displace saves.
    ///
    /// The newest rows remain, so that tokens only grow.
    private var removal: String {
        let newest = "(SELECT max(token) FROM larder_save)"
        return "DELETE FROM larder_save WHERE token > \(newest) - \(2 * window) AND token <= \(newest) - \(window) "
            + "AND \(isNote); "
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

    /// Returns the statements that remove old notes, and note the rows which have the unique values of a new row, except the row itself.
    private func notes(except row: String) -> String {
        let key = ResolvedEntity.quotedKeyColumn
        let insertions = entity.unique.map { columns in
            let equal = columns.map(\.quotedIdentifier).map { "t.\($0) = new.\($0)" }.joined(separator: " AND ")
            return "INSERT INTO larder_save (changes) SELECT \(beginning("replaced")) || t.\(key) || ']}}' "
                + "FROM \(table) AS t WHERE \(equal) AND t.\(key) IS NOT \(row).\(key); "
        }
        return removal + insertions.joined()
    }
}
#endif
