#if Objects
internal import GRDB

/// A search for indexes that would speed up a query.
///
/// SQLite plans the query on empty tables of the same model with each candidate index.
struct IndexAdvice {
    private let plan: ObjectContext.Plan
    private let sql: String
    private let isLimited: Bool
    private let path: String
    private let model: ResolvedModel

    init(_ plan: ObjectContext.Plan, _ sql: String, isLimited: Bool, _ path: String) throws {
        self.plan = plan
        self.sql = sql
        self.isLimited = isLimited
        self.path = path
        model = plan.translator.model
    }

    /// Returns whether a query plan scans an entire table for a filter, or sorts all rows for a limited query.
    func isSlow(_ steps: [String]) -> Bool {
        if isLimited, steps.contains("USE TEMP B-TREE FOR ORDER BY") { return true }
        return plan.condition != nil && steps.contains { $0.hasPrefix("SCAN t") }
    }

    func hint(_ helpful: [String], _ steps: [String]) -> String {
        let isOwn = isLimited || steps.contains { $0.hasPrefix("SCAN \(plan.source.alias)") }
        let problem = "The query reads every row of \(isOwn ? plan.entity.name : "a related entity")"
        switch helpful.count {
        case 0: return problem + ", and an index on an attribute would not help. Narrow the query with ==, <, > or in."
        case 1: return problem + ". Add @Attribute(.indexed) to \(helpful[0])."
        default:
            return problem + ". Add @Attribute(.indexed) to each of \(helpful.joined(separator: " and "))."
        }
    }

    /// The columns used for filtering or sorting that are not the first column of an existing index.
    private var candidates: [SQLValue.Column] {
        var seen: Set<SQLValue.Column> = []
        return (plan.translator.compared + plan.sort.columns(plan.entity, model)).filter { column in
            guard let place = column.place, seen.insert(column).inserted else { return false }
            let entity = model.entities[column.entity]
            return !(entity.indexes + entity.uniqueConstraints).contains { $0.first == place }
        }
    }

    /// Returns the attributes to index to speed up the query, such as `Customer.name`.
    func helpfulIndexes() throws -> [String] {
        let candidates = candidates
        if candidates.isEmpty { return [] }
        do {
            let database = try DatabaseQueue(configuration: DatabaseOpening.configuration())
            defer { try? database.close() }
            return try database.write { database in
                let statements = StatementCache(database)
                for sql in SchemaStatements(model: model).everything() { try statements.run(sql) }
                let now = cost(try steps(with: [], statements))
                for candidate in candidates {
                    let steps = try steps(with: [candidate], statements)
                    if cost(steps) < now { return names([candidate], in: steps) }
                }
                let steps = try steps(with: candidates, statements)
                return cost(steps) < now ? names(candidates, in: steps) : []
            }
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Returns the relative cost of a query plan.
    ///
    /// Each full table scan of a filtered query has a cost of 1, as does sorting all rows of a limited query.
    private func cost(_ steps: [String]) -> Int {
        let scans = plan.condition == nil ? 0 : steps.count { $0.hasPrefix("SCAN t") }
        return scans + (isLimited && steps.contains("USE TEMP B-TREE FOR ORDER BY") ? 1 : 0)
    }

    /// Returns the query plan that SQLite uses if the given columns have indexes.
    private func steps(with columns: [SQLValue.Column], _ statements: StatementCache) throws -> [String] {
        try statements.run("SAVEPOINT advice")
        for (number, column) in columns.enumerated() {
            guard let place = column.place else { continue }
            let entity = model.entities[column.entity]
            try statements.run("CREATE INDEX advice\(number) ON \(entity.table) (\(entity.columns[place].quotedName))")
        }
        let steps = try statements.rows("EXPLAIN QUERY PLAN \(sql)") { row -> String in
            if case .text(let step) = row.value(at: 3) { step } else { "" }
        }
        try statements.run("ROLLBACK TO advice")
        try statements.run("RELEASE advice")
        return steps
    }

    /// Returns the attributes whose candidate indexes a query plan uses, such as `Customer.name`.
    private func names(_ columns: [SQLValue.Column], in steps: [String]) -> [String] {
        let words = Set(steps.flatMap { $0.split(separator: " ") })
        return columns.enumerated().compactMap { number, column in
            guard words.contains("advice\(number)"), let place = column.place else { return nil }
            let entity = model.entities[column.entity]
            return "\(entity.name).\(entity.columns[place].name)"
        }
    }
}

extension ResolvedSort {
    /// Returns an array that contains the first column of the sort order, or an empty array if there is no such column.
    func columns(_ entity: ResolvedEntity, _ model: ResolvedModel) -> [SQLValue.Column] {
        var entity = entity
        for step in keys.first?.path ?? [] {
            switch step {
            case .key: return []
            case .attribute(let place): return [.init(entity: entity.index, place: place)]
            case .relationship(let place): entity = model.entities[entity.relationships[place].destination]
            }
        }
        return []
    }
}
#endif
