#if Objects
internal import GRDB

/// A repair that makes ids, unique values and references in a salvaged database consistent.
///
/// Inconsistent rows are deleted and recorded as rows in doubt.
struct SalvageRepair {
    private let schema: SchemaDescription
    private let statements: StatementCache
    private let doubtful: DoubtfulRows
    /// The number of removed references to missing objects.
    private(set) var repaired = 0
    /// Whether rows of different entities had the same id.
    private(set) var hasSharedIDs = false
    private let key = ResolvedEntity.quotedKeyColumn

    init(_ schema: SchemaDescription, _ statements: StatementCache, _ doubtful: DoubtfulRows) {
        self.schema = schema
        self.statements = statements
        self.doubtful = doubtful
    }

    mutating func run() throws {
        try removeSharedIDs()
        try removeDuplicates()
        while try repairReferences() {}
        try repairLinks()
    }

    /// Returns the ids of missing objects that are still referenced, keyed by entity name.
    func missingObjects() throws -> [String: [Int64]] {
        var columns: [(table: String, column: String, destination: String)] = []
        for entity in schema.entities {
            for column in entity.columns where column.format == "reference" {
                if let destination = column.destination { columns.append((entity.name, column.name, destination)) }
            }
        }
        for (join, _) in SchemaStatements(schema).joinTables() {
            columns += [(join.name, "source", join.source), (join.name, "target", join.target)]
        }
        var missing: [String: [Int64]] = [:]
        for (table, column, destination) in columns {
            let (table, name) = (table.quotedIdentifier, column.quotedIdentifier)
            missing[destination, default: []] += try statements.integers(
                "SELECT DISTINCT \(name) FROM \(table) WHERE \(name) NOT IN (SELECT \(key) FROM \(destination.quotedIdentifier))"
            )
        }
        return missing
    }

    /// Removes rows that have the same id as a row of another entity.
    ///
    /// Duplicate ids occur if a page was overwritten with another page.
    private mutating func removeSharedIDs() throws {
        let (known, shared) = ("temp.larder_known", "temp.larder_shared")
        for table in [known, shared] { try statements.run("CREATE TABLE \(table) (id INTEGER PRIMARY KEY)") }
        for entity in schema.entities.map(\.name.quotedIdentifier) {
            try statements.run(
                "INSERT OR IGNORE INTO \(shared) SELECT \(key) FROM \(entity) WHERE \(key) IN (SELECT id FROM \(known))"
            )
            try statements.run("INSERT OR IGNORE INTO \(known) SELECT \(key) FROM \(entity)")
        }
        if try !statements.integers("SELECT 1 FROM \(shared) LIMIT 1").isEmpty {
            hasSharedIDs = true
            for entity in schema.entities {
                let condition = "\(key) IN (SELECT id FROM \(shared))"
                _ = try move(entity, condition, "Another entity has a row with the same id.")
            }
        }
        for table in [known, shared] { try statements.run("DROP TABLE \(table)") }
    }

    /// Removes all rows except the newest from each group of rows with the same unique value.
    private func removeDuplicates() throws {
        for entity in schema.entities {
            for group in entity.unique {
                let list = group.map(\.quotedIdentifier).joined(separator: ", ")
                let present = group.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
                let older =
                    "\(key) IN (SELECT id FROM (SELECT \(key) AS id, row_number() OVER (PARTITION BY \(list) ORDER BY \(key) DESC) AS n "
                    + "FROM \(entity.name.quotedIdentifier) WHERE \(present)) WHERE n > 1)"
                let names = group.joined(separator: ", ")
                _ = try move(entity, older, "A newer row has the same unique value of \(names).")
            }
        }
    }

    /// Removes references to missing objects.
    ///
    /// If the reference is required or the delete rule is `cascade`, the object that holds the reference is removed instead.
    ///
    /// - Returns: `true` if rows were removed, so that references to these rows must also be repaired.
    private mutating func repairReferences() throws -> Bool {
        var isChanged = false
        for entity in schema.entities {
            let table = entity.name.quotedIdentifier
            for column in entity.columns {
                guard column.format == "reference", let destination = column.destination else { continue }
                let name = column.name.quotedIdentifier
                let missing =
                    "\(name) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.quotedIdentifier) AS other WHERE other.\(key) = \(table).\(name))"
                if column.isRequired || deleteRule(entity, column.name, destination) == DeleteRule.cascade.rawValue {
                    let reason = "The relationship \(column.name) refers to an object that does not exist."
                    let count = try move(entity, missing, reason)
                    if count > 0 { isChanged = true }
                } else {
                    let position = column.name + ".position"
                    let more = entity.column(position) == nil ? "" : ", \(position.quotedIdentifier) = NULL"
                    try statements.run("UPDATE \(table) SET \(name) = NULL\(more) WHERE \(missing)")
                    repaired += statements.database.changesCount
                }
            }
        }
        return isChanged
    }

    /// Returns the delete rule that a to-one relationship's inverse declares, or `nil` if there is none.
    private func deleteRule(_ entity: SchemaDescription.Entity, _ column: String, _ destination: String) -> String? {
        let inverse = entity.relationships.first { $0.name == column }?.inverse
        return schema.entities.first { $0.name == destination }?.relationships.first { $0.name == inverse }?.deleteRule
    }

    private mutating func repairLinks() throws {
        for (join, _) in SchemaStatements(schema).joinTables() {
            try statements.run(
                "DELETE FROM \(join.name.quotedIdentifier) WHERE source NOT IN (SELECT \(key) FROM \(join.source.quotedIdentifier)) "
                    + "OR target NOT IN (SELECT \(key) FROM \(join.target.quotedIdentifier))"
            )
            repaired += statements.database.changesCount
        }
    }

    /// Moves the rows of an entity that meet a condition to the table `larder_in_doubt`, and returns the number of moved rows.
    private func move(_ entity: SchemaDescription.Entity, _ condition: String, _ reason: String) throws -> Int {
        let table = entity.name.quotedIdentifier
        let names = entity.columns.map(\.name)
        let list = ([key] + names.map(\.quotedIdentifier)).joined(separator: ", ")
        let select = try statements.statement("SELECT \(list) FROM \(table) WHERE \(condition)")
        var count = 0
        while try select.step() {
            count += 1
            try doubtful.add(
                entity: entity.name,
                id: select.integer(at: 0),
                reason: reason,
                names: names,
                values: names.indices.map { select.value(at: $0 + 1) }
            )
        }
        if count > 0 { try statements.run("DELETE FROM \(table) WHERE \(condition)") }
        return count
    }
}
#endif
