#if Objects
internal import GRDB

/// A column that an index might help to find.
struct IndexCandidate: Hashable {
    let entity: String
    let column: String

    /// The name of the attribute, such as `Customer.name`.
    var name: String { "\(entity).\(column)" }
}

/// A trial of indexes for a query.
///
/// SQLite plans the query on empty tables of the same schema with each candidate index.
struct IndexTrial {
    let schema: SchemaStatements
    let sql: String
    /// Whether the query has a condition, so that reading all rows of a table costs time.
    let isFiltered: Bool
    /// Whether the query returns only the first rows, so that sorting all rows costs time.
    let isLimited: Bool

    /// Returns the names of the candidates whose indexes SQLite would use, such as `Customer.name`.
    ///
    /// If several are returned, the query needs an index on each of them.
    func helpful(_ candidates: [IndexCandidate]) throws -> [String] {
        if candidates.isEmpty { return [] }
        let database = try DatabaseQueue(configuration: DatabaseOpening.configuration())
        defer { try? database.close() }
        return try database.write { database in
            let statements = StatementCache(database)
            for sql in schema.everything() { try statements.run(sql) }
            let now = cost(try steps(with: [], statements))
            for candidate in candidates {
                let steps = try steps(with: [candidate], statements)
                if cost(steps) < now { return names([candidate], in: steps) }
            }
            let steps = try steps(with: candidates, statements)
            return cost(steps) < now ? names(candidates, in: steps) : []
        }
    }

    /// Returns the relative cost of a query plan.
    ///
    /// Each full table scan of a filtered query has a cost of 1, as does sorting all rows of a limited query.
    private func cost(_ steps: [String]) -> Int {
        let scans = isFiltered ? steps.count { $0.hasPrefix("SCAN t") } : 0
        return scans + (isLimited && steps.contains("USE TEMP B-TREE FOR ORDER BY") ? 1 : 0)
    }

    /// Returns the query plan that SQLite uses if the given columns have indexes.
    private func steps(with candidates: [IndexCandidate], _ statements: StatementCache) throws -> [String] {
        try statements.run("SAVEPOINT advice")
        for (number, candidate) in candidates.enumerated() {
            let (table, column) = (candidate.entity.quotedIdentifier, candidate.column.quotedIdentifier)
            try statements.run("CREATE INDEX advice\(number) ON \(table) (\(column))")
        }
        let steps = try statements.queryPlan(sql)
        try statements.run("ROLLBACK TO advice")
        try statements.run("RELEASE advice")
        return steps
    }

    /// Returns the names of the candidates whose indexes a query plan uses.
    private func names(_ candidates: [IndexCandidate], in steps: [String]) -> [String] {
        let words = Set(steps.flatMap { $0.split(separator: " ") })
        return candidates.enumerated().compactMap { number, candidate in
            words.contains("advice\(number)") ? candidate.name : nil
        }
    }
}

extension StatementCache {
    /// Returns the steps of a query plan, as `EXPLAIN QUERY PLAN` returns them.
    func queryPlan(_ sql: String, _ values: [ColumnValue] = []) throws -> [String] {
        try rows("EXPLAIN QUERY PLAN \(sql)", values) { row -> String in
            if case .text(let step) = row.value(at: 3) { step } else { "" }
        }
    }
}
#endif
