#if Objects
/// An explanation of how SQLite executes a request.
public struct QueryExplanation: Sendable, CustomStringConvertible {
    /// The SQL statement of the query.
    public let sql: String
    /// The values that are bound to the parameters `?1`, `?2` and so on.
    public let values: [ColumnValue]
    /// The steps of the query plan, as `EXPLAIN QUERY PLAN` returns them.
    public let plan: [String]
    /// The attributes that would speed up the query if they were indexed, such as `Customer.name`.
    ///
    /// If several attributes are listed, the query needs an index on each attribute, for example because the filter uses `||`. SQLite's
    /// query planner has confirmed that it would use these indexes.
    public let helpfulIndexes: [String]
    /// Advice on how to speed up the query, or `nil` if the plan neither scans a whole table for a filter nor sorts all rows for a limit.
    public let hint: String?

    /// The SQL, the parameters, the plan and the hint on separate lines.
    public var description: String {
        ([sql, "values: \(values)"] + plan + (hint.map { [$0] } ?? [])).joined(separator: "\n")
    }
}

extension SQLiteStorageManager {
    /// Translates a request into SQL, without running the query.
    ///
    /// - Parameter request: The request to translate.
    /// - Returns: The SQL statement and the values that are bound to its parameters `?1`, `?2` and so on.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL.
    public func sql<T: Object>(of request: ObjectRequest<T>) throws -> (sql: String, values: [ColumnValue]) {
        try viewObjects.plan(request).page(request)
    }
}

extension ViewContext {
    /// Explains how SQLite executes a request, and suggests missing indexes.
    ///
    /// - Parameter request: The request to explain.
    /// - Returns: The SQL, the query plan and the missing indexes.
    /// - Throws: ``ObjectError`` if the request can't be translated into SQL or the database can't be read.
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
