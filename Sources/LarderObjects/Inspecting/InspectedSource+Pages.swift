#if Objects
internal import LarderCore

extension InspectedSource {
    /// Runs a closure with a connection and the schema of the file.
    func readingSchema<Result>(
        _ body: (StatementCache, StoredSchema, SchemaDescription) throws -> Result
    ) throws -> Result {
        try reading { statements in
            let (stored, schema) = try schemas.read(statements, path: path)
            return try body(statements, stored, schema)
        }
    }

    /// Returns a page of the objects that a query selects.
    ///
    /// - Throws: `InspectionQueryError` if the query is wrong, or ``ObjectError`` if the database can't be read.
    func page(_ query: InspectionQuery) throws -> InspectionPage {
        try readingSchema { statements, _, schema in
            let selection = try ObjectSelection(query, in: schema)
            let reader = PageReader(
                selection: selection,
                statements: statements,
                limit: min(max(0, query.limit), PageReader.longestPage),
                patience: query.patience
            )
            let position = try query.after.map { try PagePosition($0, count: selection.order.terms.count) }
            let found = try reader.keys(after: position)
            let records = ObjectRecords(schema: schema, entity: selection.source.entity, statements: statements)
            return InspectionPage(
                records: try records.records(found.keys, isCut: true),
                next: found.next?.text,
                // Later pages have the same number, which would be counted again for each.
                total: try position == nil ? reader.total() : nil
            )
        }
    }

    /// Returns an object with all of its values, or `nil` if it does not exist.
    func record(_ key: String, in table: String) throws -> InspectionRecord? {
        try readingSchema { statements, _, schema in
            let entity = try schema.inspected(table)
            guard let key = Int64(key) else { return nil }
            return try ObjectRecords(schema: schema, entity: entity, statements: statements).records(
                [key],
                isCut: false
            )
            .first
        }
    }

    /// Returns up to `limit` objects of all entities whose ids, such as `Order/12`, begin with `prefix`.
    func rows(prefix: String, limit: Int) throws -> [InspectionRow] {
        let names = try readingSchema { _, _, schema in schema.entities.map(\.name) }
        var rows: [InspectionRow] = []
        for name in names where rows.count < limit {
            let start = name + "/"
            guard start.hasPrefix(prefix) || prefix.hasPrefix(start) else { continue }
            var query = InspectionQuery(table: name, limit: limit - rows.count)
            query.prefix = String(prefix.dropFirst(start.count))
            let columns = try readingSchema { _, _, schema in try schema.inspected(name).attributes.map(\.name) }
            rows += try page(query).records.map { record in
                InspectionRow(
                    key: start + record.key,
                    kind: name,
                    value: zip(columns, record.values).map { "\($0): \($1)" }.joined(separator: ", ")
                )
            }
        }
        return rows
    }

    /// Returns how SQLite executes a query, and which indexes it lacks.
    func plan(_ query: InspectionQuery) throws -> InspectionPlan {
        try readingSchema { statements, _, schema in
            let selection = try ObjectSelection(query, in: schema)
            let part = selection.order.terms.isEmpty ? PageOrder.Part.everything : .present
            let way = ObjectSelection.Way(isSorting: true, isFilterInColumn: false)
            let (sql, values) = selection.query(
                part,
                after: nil,
                way,
                limit: min(max(1, query.limit), PageReader.longestPage)
            )
            let steps = try statements.queryPlan(sql, values)
            let advice = try QueryAdvice(selection, schema, sql, steps).sentences()
            return InspectionPlan(statement: QueryAdvice.statement(sql, values), steps: steps, advice: advice)
        }
    }
}
#endif
