#if Objects
/// How SQLite answers a request.
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// The query.
    public let sql: String
    /// What is bound to `?1`, `?2` and so on.
    public let values: [ColumnValue]
    /// The steps, as `EXPLAIN QUERY PLAN` names them.
    public let plan: [String]
    /// What to do about it, if every row of a table has to be looked at.
    public let hint: String?

    /// All of it, a line each.
    public var description: String {
        ([sql, "values: \(values)"] + plan + (hint.map { [$0] } ?? [])).joined(separator: "\n")
    }
}

extension SQLiteStorageManager {
    /// The SQL that a request becomes, without asking the database anything.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The SQL, and what is bound to `?1`, `?2` and so on.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL.
    public func sql<T: Object>(of request: ObjectRequest<T>) throws -> (sql: String, values: [ColumnValue]) {
        try viewObjects.exclusively {
            let plan = try viewObjects.plan(request)
            return (plan.rows, plan.translator.values)
        }
    }
}

extension ViewContext {
    /// How SQLite answers a request: the SQL, the plan, and whether an index is missing.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The explanation.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func explain<T: Object>(_ request: ObjectRequest<T>) throws -> QueryExplanation {
        try context.exclusively {
            let plan = try context.plan(request)
            let steps = try context.query("EXPLAIN QUERY PLAN \(plan.rows)", plan.translator.values) { row -> String in
                if case .text(let step) = row.value(at: 3) { step } else { "" }
            }
            let isScan = plan.condition != nil && steps.contains { $0.hasPrefix("SCAN \(plan.source.alias)") }
            return QueryExplanation(
                sql: plan.rows,
                values: plan.translator.values,
                plan: steps,
                hint: isScan
                    ? "Every row of \(plan.entity.name) is looked at: mark what the filter compares @Attribute(.indexed)."
                    : nil
            )
        }
    }
}
#endif
