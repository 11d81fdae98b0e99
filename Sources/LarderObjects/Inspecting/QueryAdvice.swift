#if Objects
internal import Foundation

/// The advice on a query of an inspection.
struct QueryAdvice {
    private let selection: ObjectSelection
    private let schema: SchemaDescription
    /// The query with the filter as a condition, even if a page has it as a column.
    private let sql: String
    private let steps: [String]

    init(_ selection: ObjectSelection, _ schema: SchemaDescription, _ statements: StatementCache) throws {
        self.selection = selection
        self.schema = schema
        let part = selection.order.terms.isEmpty ? PageOrder.Part.everything : .present
        let way = ObjectSelection.Way(isSorting: true, isFilterInColumn: false)
        let (sql, values) = selection.query(part, after: nil, way, limit: PageReader.longestPage)
        self.sql = sql
        steps = try statements.queryPlan(sql, values)
    }

    /// Returns what would make the query faster, which is nothing if it reads few rows.
    func sentences() throws -> [String] {
        // Sorting the objects that an index finds by their keys costs little.
        let isSorted = selection.order.terms.first?.column != nil
        let isSorting = isSorted && steps.contains("USE TEMP B-TREE FOR ORDER BY")
        let isScanning = selection.hasFilter && steps.contains { $0.hasPrefix("SCAN t") }
        guard isSorting || isScanning else { return searchAdvice }
        let trial = IndexTrial(
            schema: SchemaStatements(schema),
            sql: sql,
            isFiltered: selection.hasFilter,
            isLimited: isSorted
        )
        let helpful = try trial.helpful(candidates)
        let isOwn = isSorting || steps.contains { $0.hasPrefix("SCAN \(selection.source.alias)") }
        let problem = "The query reads every object of \(isOwn ? selection.source.entity.name : "a related entity")"
        switch helpful.count {
        case 0: return [problem + ", and an index would not help. Narrow the filter with ==, <, > or in."]
        case 1: return [problem + ". Add @Attribute(.indexed) to \(helpful[0])."]
        default: return [problem + ". Add @Attribute(.indexed) to each of \(helpful.joined(separator: " and "))."]
        }
    }

    /// The advice on a search that no filter narrows.
    private var searchAdvice: [String] {
        guard selection.hasSearch, steps.contains(where: { $0.hasPrefix("SCAN \(selection.source.alias)") }) else {
            return []
        }
        return [
            "The search reads every object of \(selection.source.entity.name), and an index would not help. Add a filter with ==, <, > or in."
        ]
    }

    /// The columns of the filter and the order that are not the first column of an index.
    private var candidates: [IndexCandidate] {
        var seen: Set<IndexCandidate> = []
        let sorted = selection.order.terms.prefix(1).compactMap(\.column).map {
            IndexCandidate(entity: selection.source.entity.name, column: $0)
        }
        return (selection.translator.compared + sorted).filter { candidate in
            guard let entity = schema.entity(candidate.entity), seen.insert(candidate).inserted else { return false }
            return !(entity.indexes + entity.unique).contains { $0.first == candidate.column }
        }
    }

    /// Returns a statement for display, followed by the values of its parameters.
    static func statement(_ sql: String, _ values: [ColumnValue]) -> String {
        guard !values.isEmpty else { return sql }
        let list = values.enumerated().map { "?\($0 + 1) = \(String($1.sqlLiteral.prefix(200)))" }
        return sql + "\n-- " + list.joined(separator: ", ").replacing("\n", with: " ")
    }
}
#endif
