#if Objects
/// Queries that count the data that a migration step would lose.
struct LossQueries {
    private let step: InferredStep
    private let statements: StatementCache
    private let functions: ConversionFunctions

    init(_ step: InferredStep, model: ResolvedModel?, _ statements: StatementCache) {
        self.step = step
        self.statements = statements
        functions = ConversionFunctions(step.slots, model: model)
    }

    /// Returns the losses of stored data, and the losses that the model must allow even if no stored data is affected.
    func find() throws -> [MigrationLoss] {
        var scanned: Set<Int> = []
        return try step.losses.filter { !$0.isUnlikely }.compactMap { loss in
            let (count, ids): (Int, [Int64])
            switch loss.condition {
            case .rows(let table): (count, ids) = try matching(table, nil)
            case .notNull(let table, let column):
                (count, ids) = try matching(table, "\(column.quotedIdentifier) IS NOT NULL")
            case .isNull(let table, let column):
                (count, ids) = try matching(table, "\(column.quotedIdentifier) IS NULL")
            case .outcome(let table, let column, let slot, let isInexact):
                if scanned.insert(slot).inserted { try scan(table, column, slot) }
                let entry = functions.ledger.counts[.init(slot: slot, kind: isInexact ? .inexactValue : .value)]
                (count, ids) = (entry?.count ?? 0, entry?.ids ?? [])
            case .duplicates(let table, let columns): (count, ids) = try duplicates(table, columns, loss)
            case .links(let table):
                count = try self.count("SELECT count(*) FROM \(table.quotedIdentifier)")
                ids = try statements.integers(
                    "SELECT DISTINCT source FROM \(table.quotedIdentifier) ORDER BY source LIMIT \(LossLedger.shownIDs)"
                )
            case .several(let links):
                let groups = "SELECT a, count(*) AS n FROM (\(links.sql())) GROUP BY a HAVING n > 1"
                count = try self.count("SELECT coalesce(sum(n - 1), 0) FROM (\(groups))")
                ids = try first("SELECT a AS id FROM (\(groups))")
            case .disordered(let links):
                let owners =
                    "SELECT DISTINCT a AS id FROM (SELECT a, b, lag(b) OVER (PARTITION BY a ORDER BY "
                    + "aPosition IS NULL, aPosition, b) AS earlier FROM (\(links.sql()))) WHERE earlier > b"
                count = try self.count("SELECT count(*) FROM (\(owners))")
                ids = try first(owners)
            case .unlinked(let table, let links):
                (count, ids) = try matching(
                    table,
                    "\(ResolvedEntity.quotedKeyColumn) NOT IN (SELECT a FROM (\(links.sql())))"
                )
            }
            guard count > 0 || loss.mustAlwaysBeAllowed else { return nil }
            return MigrationLoss(loss, count: count, ids: ids)
        }
    }

    private func first(_ query: String) throws -> [Int64] {
        try statements.integers("SELECT id FROM (\(query)) ORDER BY id LIMIT \(LossLedger.shownIDs)")
    }

    private func count(_ sql: String) throws -> Int { Int(try statements.integers(sql).first ?? 0) }

    private func matching(_ table: String, _ condition: String?) throws -> (Int, [Int64]) {
        let rest = " FROM \(table.quotedIdentifier)" + (condition.map { " WHERE " + $0 } ?? "")
        let ids = try statements.integers(
            "SELECT \(ResolvedEntity.quotedKeyColumn)\(rest) ORDER BY \(ResolvedEntity.quotedKeyColumn) LIMIT \(LossLedger.shownIDs)"
        )
        guard ids.count == LossLedger.shownIDs else { return (ids.count, ids) }
        return (try count("SELECT count(*)\(rest)"), ids)
    }

    /// Counts the losses of a conversion by converting every value in a column without storing the results.
    private func scan(_ table: String, _ column: String, _ slot: Int) throws {
        let name = column.quotedIdentifier
        let rest = step.slots[slot].shortcut(name).map { " AND (\($0.condition)) IS NOT TRUE" } ?? ""
        let statement = try PreparedStatement(
            "SELECT \(ResolvedEntity.quotedKeyColumn), \(name) FROM \(table.quotedIdentifier) WHERE \(name) IS NOT NULL\(rest)",
            on: statements.database
        )
        while try statement.step() {
            _ = functions.convert(statement.value(at: 1), slot: slot, objectID: statement.integer(at: 0))
        }
    }

    /// Counts the rows that duplicate another row's values in the given columns.
    private func duplicates(_ table: String, _ columns: [String], _ loss: PossibleLoss) throws -> (Int, [Int64]) {
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let present = columns.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
        let source = "FROM \(table.quotedIdentifier) WHERE \(present)"
        let count = try count(
            "SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n \(source) GROUP BY \(list) HAVING n > 1)"
        )
        guard count > 0 else { return (0, []) }
        let order = loss.kept == .oldest ? "" : " DESC"
        let ids = try statements.integers(
            "SELECT id FROM (SELECT \(ResolvedEntity.quotedKeyColumn) AS id, row_number() OVER "
                + "(PARTITION BY \(list) ORDER BY \(ResolvedEntity.quotedKeyColumn)\(order)) AS n \(source)) "
                + "WHERE n > 1 ORDER BY id LIMIT \(LossLedger.shownIDs)"
        )
        return (count, ids)
    }
}

extension MigrationLoss {
    /// Creates a loss from a possible loss, with the number and the row ids of the affected values.
    init(_ loss: PossibleLoss, count: Int?, ids: [Int64]) {
        self.init(
            kind: loss.kind,
            entity: loss.entity,
            property: loss.property,
            count: count,
            objectIDs: ids.map { ObjectID(entityName: loss.entity, rowID: $0) },
            isAllowed: loss.isAllowed,
            remedy: loss.remedy
        )
    }
}
#endif
