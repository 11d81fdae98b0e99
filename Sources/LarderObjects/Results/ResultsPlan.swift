#if Objects
internal import Foundation

/// The queries that fill a list, and keep it up to date.
///
/// Each row of a query contains an object's id, followed by the values that sort the object.
struct ResultsPlan: Sendable {
    struct Query: Sendable {
        let sql: String
        let values: [ColumnValue]
    }

    let entity: ResolvedEntity
    let dependencies: Dependencies
    /// For each sort value, whether it sorts in descending order.
    let descending: [Bool]
    /// Whether the first sort value divides the list into sections.
    let isSectioned: Bool
    /// The maximum number of objects in the list, or `nil` for all objects.
    let limit: Int?
    /// The number of objects before the list.
    let offset: Int
    /// The values that a row of a query contains, as SQL.
    private let sortValues: [String]
    private let key: String
    private let tables: String
    /// The tables, in the order in which the query for changed objects reads them.
    private let tablesInOrder: String
    private let condition: String?
    private let order: String
    private let values: [ColumnValue]

    init<T: Object>(
        _ request: ObjectRequest<T>,
        sectionBy section: SortDescriptor<T>?,
        in context: ObjectContext
    ) throws {
        var request = request
        if let section { request.sortedBy.insert(section, at: 0) }
        let plan = try context.plan(request)
        entity = plan.entity
        dependencies = plan.translator.dependencies
        descending = plan.sort.keys.map { !$0.isAscending }
        isSectioned = section != nil
        // Sums of positions must not overflow.
        limit = request.limit.flatMap { $0 < Int.max / 4 ? max(0, $0) : nil }
        offset = min(max(0, request.offset), Int.max / 4)
        sortValues = plan.sortValues
        key = plan.source.key
        tables = plan.from
        tablesInOrder =
            "\(entity.table) AS \(plan.source.alias)\(plan.translator.rootJoins(plan.required, inOrder: true))"
        condition = plan.condition
        order = plan.order
        values = plan.translator.values
    }

    /// Returns the query for all objects, or for the first `limit` objects, in the order of the list.
    func all(limit: Int?) -> Query { query(tables, [], limit: limit) }

    /// Returns the query for the objects among `ids` that belong to the list, in no particular order.
    ///
    /// The query's cost does not depend on the number of objects in the list.
    func objects(_ ids: [Int64]) -> Query {
        // The list of ids must be the outermost table. If SQLite could choose, it would scan the index of the filter instead.
        let changed = ids.count == 1 ? "" : "json_each(?\(values.count + 1)) AS changed CROSS JOIN "
        let isChanged = ids.count == 1 ? "\(key) = ?\(values.count + 1)" : "\(key) = changed.value"
        let condition = ([isChanged] + (condition.map { [$0] } ?? [])).joined(separator: " AND ")
        return Query(
            sql: "SELECT \(selection) FROM \(changed)\(tablesInOrder) WHERE \(condition)",
            values: values + [ids.count == 1 ? .integer(ids[0]) : ObjectContext.list(ids)]
        )
    }

    /// Returns queries for up to `limit` objects behind an object, to be run until they have returned enough rows.
    ///
    /// Each query continues with the objects that share a shorter prefix of the sort values. This way, each query is a range of an index.
    ///
    /// - Parameters:
    ///   - id: The id of the object.
    ///   - last: The sort values of the object.
    ///   - limit: The maximum number of objects.
    /// - Returns: The queries in the order in which they are to be run.
    func objects(behind id: Int64, _ last: [ColumnValue], limit: Int) -> [Query] {
        var queries = [query(tables, equal(last[...]) + [.comparison(key, ">", .integer(id))], limit: limit)]
        for place in last.indices.reversed() {
            let (value, prefix) = (sortValues[place], equal(last[..<place]))
            let ranges: [Term]
            switch (last[place], descending[place]) {
            // NULL is the smallest value.
            case (.null, false): ranges = [.isNull(value, false)]
            case (.null, true): ranges = []
            case (let bound, false): ranges = [.comparison(value, ">", bound)]
            case (let bound, true): ranges = [.comparison(value, "<", bound), .isNull(value, true)]
            }
            queries += ranges.map { query(tables, prefix + [$0], limit: limit) }
        }
        return queries
    }

    private var selection: String { ([key] + sortValues).joined(separator: ", ") }

    /// A condition on one sort value.
    private enum Term {
        case comparison(String, String, ColumnValue)
        case isNull(String, Bool)
    }

    private func equal(_ values: ArraySlice<ColumnValue>) -> [Term] {
        zip(sortValues, values).map { $1.isNull ? .isNull($0, true) : .comparison($0, "=", $1) }
    }

    private func query(_ tables: String, _ terms: [Term], limit: Int?) -> Query {
        var values = values
        func bind(_ value: ColumnValue) -> String {
            values.append(value)
            return "?\(values.count)"
        }
        let conditions =
            (condition.map { [$0] } ?? [])
            + terms.map { term in
                switch term {
                case .comparison(let sql, let comparison, let value): "\(sql) \(comparison) \(bind(value))"
                case .isNull(let sql, let isNull): "\(sql) IS \(isNull ? "" : "NOT ")NULL"
                }
            }
        var sql = "SELECT \(selection) FROM \(tables)"
        if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
        sql += " ORDER BY \(order)"
        if let limit { sql += " LIMIT \(bind(.integer(Int64(limit))))" }
        return Query(sql: sql, values: values)
    }
}
#endif
