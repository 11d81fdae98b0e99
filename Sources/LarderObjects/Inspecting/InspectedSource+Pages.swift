#if Objects
internal import LarderCore

extension InspectedSource {
    /// The number of bytes after which a value in a row is cut.
    private static var longestRowValue: Int { 65_536 }

    /// Returns a page of the objects that a query selects.
    ///
    /// - Throws: `InspectionQueryError` if the query is wrong or takes too long, or ``ObjectError`` if the database can't be read.
    func page(_ query: InspectionQuery) throws -> InspectionPage {
        try querying { statements, _, schema in
            try Self.placing(query.filter) {
                let selection = try ObjectSelection(query, in: schema)
                let reader = PageReader(
                    selection: selection,
                    statements: statements,
                    limit: min(max(0, query.limit), PageReader.longestPage),
                    patience: query.patience,
                    limits: inspectionLimits
                )
                let position = try query.after.map { try PagePosition($0, count: selection.order.terms.count) }
                let found = try reader.objects(after: position)
                var records = ObjectRecords(
                    schema: schema,
                    entity: selection.source.entity,
                    statements: statements,
                    limits: inspectionLimits
                )
                (records.longestValue, records.bytes) = (query.longestValue, query.bytes)
                let keys = found.objects.map(\.key)
                let read = try records.records(keys)
                return InspectionPage(
                    records: read.records,
                    next: (read.isComplete ? found.next : found.objects[read.count - 1].position)?.text,
                    // Later pages have the same number, which would be counted again for each.
                    total: try position == nil ? reader.total() : nil
                )
            }
        }
    }

    /// Runs a closure that translates a filter, and gives an error about its size the place of the filter.
    private static func placing<Result>(_ filter: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as ObjectError where error.code == .unsupportedQuery {
            guard !filter.isEmpty else { throw error }
            throw InspectionQueryError(
                "The filter is too deep or too long for SQLite. Shorten its paths, or use fewer conditions and parentheses.",
                at: 0..<filter.unicodeScalars.count
            )
        }
    }

    /// Returns an object with all of its values, or `nil` if it does not exist.
    func record(_ key: String, in table: String) throws -> InspectionRecord? {
        try querying { statements, _, schema in
            let entity = try schema.inspected(table)
            guard let key = Int64(key) else { return nil }
            let records = ObjectRecords(
                schema: schema,
                entity: entity,
                statements: statements,
                limits: inspectionLimits
            )
            return try records.records([key]).records.first
        }
    }

    /// Returns up to `limit` objects of all entities whose ids, such as `Order/12`, begin with `prefix`.
    func rows(prefix: String, limit: Int) throws -> [InspectionRow] {
        let tables = try readingSchema { _, _, schema in
            schema.entities.map { (name: $0.name, columns: $0.attributes.map(\.name)) }
        }
        var rows: [InspectionRow] = []
        for (name, columns) in tables {
            let start = name + "/"
            guard start.hasPrefix(prefix) || prefix.hasPrefix(start) else { continue }
            var query = InspectionQuery(table: name)
            query.prefix = String(prefix.dropFirst(start.count))
            query.longestValue = Self.longestRowValue
            repeat {
                query.limit = limit - rows.count
                guard query.limit > 0 else { return rows }
                let page = try page(query)
                rows += page.records.map { record in
                    InspectionRow(
                        key: start + record.key,
                        kind: name,
                        value: zip(columns, record.values).map { "\($0): \($1)" }.joined(separator: ", ")
                    )
                }
                query.after = page.next
            } while query.after != nil
        }
        return rows
    }

    /// Returns how SQLite executes the query of a page, and which indexes it lacks.
    func plan(_ query: InspectionQuery) throws -> InspectionPlan {
        try querying { statements, _, schema in
            try Self.placing(query.filter) {
                let selection = try ObjectSelection(query, in: schema)
                let position = try query.after.map { try PagePosition($0, count: selection.order.terms.count) }
                let reader = PageReader(
                    selection: selection,
                    statements: statements,
                    limit: min(max(1, query.limit), PageReader.longestPage),
                    patience: query.patience,
                    limits: inspectionLimits
                )
                let (sql, values) = try reader.longestQuery(after: position)
                let steps = try statements.queryPlan(sql, values)
                let advice = try QueryAdvice(selection, schema, statements).sentences()
                return InspectionPlan(statement: QueryAdvice.statement(sql, values), steps: steps, advice: advice)
            }
        }
    }
}
#endif
