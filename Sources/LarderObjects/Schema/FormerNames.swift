#if Objects
/// The table `larder_former_name`, which contains the former names of entities.
///
/// Object ids that programs have saved may contain former names.
enum FormerNames {
    static let table =
        "CREATE TABLE larder_former_name (former TEXT NOT NULL, current TEXT NOT NULL, UNIQUE (former, current)) STRICT"

    /// Records simultaneous renames, such as a swap of two names, and removes the names of dropped entities.
    static func rename(_ renames: [(old: String, new: String)], dropped: [String], _ statements: StatementCache) throws
    {
        guard !renames.isEmpty || !dropped.isEmpty else { return }
        let known = try statements.rows("SELECT former, current FROM larder_former_name") { row -> (String, String)? in
            guard case (.text(let former), .text(let current)) = (row.value(at: 0), row.value(at: 1)) else {
                return nil
            }
            return (former, current)
        }
        try statements.run("DELETE FROM larder_former_name")
        let names = Dictionary(renames.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
        let kept = known.compactMap(\.self).filter { !dropped.contains($0.1) }.map { ($0.0, names[$0.1] ?? $0.1) }
        for (former, current) in kept + renames.map({ ($0.old, $0.new) }) where former != current {
            try statements.run(
                "INSERT OR IGNORE INTO larder_former_name VALUES (?, ?)",
                [.text(former), .text(current)]
            )
        }
    }
}
#endif
