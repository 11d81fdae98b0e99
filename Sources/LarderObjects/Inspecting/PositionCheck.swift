#if Objects
/// A check of the positions in ordered relationships.
///
/// An object may have a position only if it belongs to the ordered relationship. Gaps, duplicate positions and missing positions are valid,
/// because objects with equal positions are sorted by id.
struct PositionCheck {
    private let schema: SchemaDescription
    private let statements: StatementCache

    init(_ schema: SchemaDescription, _ statements: StatementCache) {
        self.schema = schema
        self.statements = statements
    }

    /// Adds all invalid positions to `findings`.
    ///
    /// - Throws: The error that SQLite reports.
    func run(_ findings: inout VerificationFindings) throws {
        for entity in schema.entities {
            for column in entity.columns where column.format == "position" {
                let reference = String(column.name.dropLast(".position".count))
                let rows = try statements.statement(
                    "SELECT \(ResolvedEntity.quotedKeyColumn) FROM \(entity.name.quotedIdentifier) "
                        + "WHERE \(column.name.quotedIdentifier) IS NOT NULL AND \(reference.quotedIdentifier) IS NULL"
                )
                while try rows.step() {
                    findings.add(
                        "The object has a position in an ordered relationship but is in none, because \(reference) is nil. Set \(reference) again.",
                        key: "\(entity.name)/\(rows.integer(at: 0)).\(column.name)"
                    )
                }
            }
        }
    }
}
#endif
