#if Objects
/// How SQLite answers a request.
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// The query.
    public let sql: String
    /// The parameters `?1`, `?2` and so on.
    public let values: [ColumnValue]
    /// The steps, as `EXPLAIN QUERY PLAN` names them.
    public let plan: [String]
    /// The attributes whose indexes SQLite would use, such as `Customer.name`, if the query reads every row of a table.
    ///
    /// Several together are needed where none helps alone, as for the sides of `||`. Each was tried: SQLite planned the query over
    /// the same tables with the index.
    public let helpfulIndexes: [String]
    /// What to do if the query reads every row of a table; `nil` if it does not.
    public let hint: String?

    /// The query, its parameters, the plan and the hint, a line each.
    public var description: String {
        ([sql, "values: \(values)"] + plan + (hint.map { [$0] } ?? [])).joined(separator: "\n")
    }
}

extension SQLiteStorageManager {
    /// Returns the SQL of a request, without a query.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The SQL, and its parameters `?1`, `?2` and so on.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL.
    public func sql<T: Object>(of request: ObjectRequest<T>) throws -> (sql: String, values: [ColumnValue]) {
        try viewObjects.plan(request).page(request)
    }
}

extension ViewContext {
    /// Explains how SQLite answers a request: the SQL, the plan, and the index that would help.
    ///
    /// - Parameter request: Which objects, in what order.
    /// - Returns: The explanation.
    /// - Throws: ``ObjectError`` when the request can't be turned into SQL, or the database can't be read.
    public func explain<T: Object>(_ request: ObjectRequest<T>) throws -> QueryExplanation {
        let plan = try context.plan(request)
        let page = plan.page(request)
        let steps = try context.exclusively {
            try context.query("EXPLAIN QUERY PLAN \(page.sql)", page.values) { row -> String in
                if case .text(let step) = row.value(at: 3) { step } else { "" }
            }
        }
        let advice = try IndexAdvice(plan, page.sql, isLimited: request.limit != nil, context.path)
        let isSlow = advice.isSlow(steps)
        let helpful = isSlow ? try advice.helpfulIndexes() : []
        return QueryExplanation(
            sql: page.sql,
            values: page.values,
            plan: steps,
            helpfulIndexes: helpful,
            hint: isSlow ? advice.hint(helpful, steps) : nil
        )
    }
}
#endif
