#if Objects
/// A search for indexes that would speed up a query of a program.
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
        let candidates = candidates.compactMap { column in
            column.place.map { place in
                let entity = model.entities[column.entity]
                return IndexCandidate(entity: entity.name, column: entity.columns[place].name)
            }
        }
        let trial = IndexTrial(
            schema: SchemaStatements(model: model),
            sql: sql,
            isFiltered: plan.condition != nil,
            isLimited: isLimited
        )
        do { return try trial.helpful(candidates) } catch { throw ObjectError.wrapping(error, path: path) }
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
