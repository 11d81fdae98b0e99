#if Objects
/// A check of the tables by which processes learn of each other's saves.
struct SharingCheck {
    private let statements: StatementCache

    init(_ statements: StatementCache) { self.statements = statements }

    /// Adds all problems to `findings`.
    ///
    /// A file of an earlier format, which lacks the tables, has no problems.
    ///
    /// - Throws: The error that SQLite reports.
    func run(_ findings: inout VerificationFindings) throws {
        guard try SharingSchema.exists(statements) else { return }
        let timelines = try statements.integers("SELECT trimmed FROM larder_timeline")
        if timelines.count != 1 {
            findings.add(
                "The table has \(timelines.count) rows instead of one, so tokens are not valid. Restore a backup.",
                key: "larder_timeline"
            )
        }
        let newest = try saves(&findings)
        if let newest, let trimmed = timelines.first, newest < trimmed {
            findings.add(
                "Another program removed the newest saves, so later saves have the tokens of removed ones. Read all objects again where "
                    + "tokens are used.",
                key: "larder_save/\(newest)"
            )
        }
    }

    /// Checks each save, and returns the newest token, or `nil` if there are no saves.
    private func saves(_ findings: inout VerificationFindings) throws -> Int64? {
        let rows = try statements.statement("SELECT token, last, changes FROM larder_save ORDER BY token")
        var newest: (token: Int64, isComplete: Bool)?
        while try rows.step() {
            newest = (rows.integer(at: 0), rows.integer(at: 1) != 0)
            do {
                _ = try rows.withBytes(at: 2, SaveText.read)
            } catch let error as SaveText.Malformed {
                findings.add(
                    "The description of the save can't be read from byte \(error.offset) on, so any object counts as changed. "
                        + "Trim the history after the next save.",
                    key: "larder_save/\(rows.integer(at: 0))"
                )
            }
        }
        if let newest, !newest.isComplete {
            findings.add(
                "The newest save is not complete, because another program removed a part. Trim the history after the next save.",
                key: "larder_save/\(newest.token)"
            )
        }
        return newest?.token
    }
}
#endif
