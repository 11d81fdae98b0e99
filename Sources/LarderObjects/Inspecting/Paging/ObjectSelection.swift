#if Objects
internal import LarderCore

/// The objects that an inspection query selects, and their order.
struct ObjectSelection {
    /// How SQLite finds the objects of a page.
    struct Way {
        /// Whether all matching objects are sorted before the first is known.
        ///
        /// Otherwise they are read in the order of the page, and reading can stop at any of them.
        let isSorting: Bool
        /// Whether the filter is a column of the result instead of a condition.
        ///
        /// The result then has a row for each object that was looked at, so that reading can stop and continue there.
        let isFilterInColumn: Bool
    }

    let source: FilterTranslator.Source
    let order: PageOrder
    /// The translator, to which the values of all conditions are bound.
    let translator: FilterTranslator
    /// The condition of the relation.
    private let scope: [String]
    private let filter: String?
    /// The conditions of the prefix and the text, which no index helps to find.
    private let search: [String]

    /// The maximum length of a searched text in Unicode scalars.
    private static let longestText = 1_000

    var hasFilter: Bool { filter != nil }
    var hasSearch: Bool { !search.isEmpty }

    /// Translates a query.
    ///
    /// - Throws: `InspectionQueryError` if the query is wrong.
    init(_ query: InspectionQuery, in schema: SchemaDescription) throws {
        let entity = try schema.inspected(query.table)
        var translator = FilterTranslator(schema)
        let source = translator.source(entity)
        var scope: [String] = []
        var terms: [PageOrder.Term] = []
        if let relation = query.relation {
            let related = try RelatedObjects(relation, to: source, &translator)
            scope.append(related.condition)
            if let position = related.position { terms.append(.init(sql: position, isAscending: true, column: nil)) }
        }
        guard query.text.unicodeScalars.count <= Self.longestText else {
            throw InspectionQueryError(
                "The searched text is too long. Shorten it to \(Self.longestText) characters."
            )
        }
        filter = try FilterParser.parse(query.filter).map { try translator.condition($0, of: source).whenTrue.sql }
        var search: [String] = []
        if !query.prefix.isEmpty { search.append(translator.keyPrefix(query.prefix, source)) }
        if !query.text.isEmpty { search.append(translator.search(query.text, source)) }
        self.search = search
        order = try query.order.isEmpty ? PageOrder(terms, key: source.key) : PageOrder(query.order, source)
        self.source = source
        self.translator = translator
        self.scope = scope
    }

    /// Returns the query for a part of the list.
    ///
    /// The result has the key, whether the object matches, and the values by which the list is sorted.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - position: The position after which the result begins, or `nil` for the whole part.
    ///   - way: How SQLite finds the objects.
    ///   - limit: The maximum number of rows, or `nil` for all.
    /// - Returns: The SQL and the values of its parameters.
    func query(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ way: Way,
        limit: Int?
    ) -> (sql: String, values: [ColumnValue]) {
        var translator = translator
        var conditions = scope + order.conditions(part, after: position) { translator.bind($0) }
        var tests: [String] = []
        if let filter { if way.isFilterInColumn { tests.append(filter) } else { conditions.append(filter) } }
        if way.isSorting { conditions += search } else { tests += search }
        let columns = [source.key, Self.conjunction(tests) ?? "1"] + order.terms.map(\.sql)
        var sql = "SELECT \(columns.joined(separator: ", ")) FROM \(source.table)"
        if let conjunction = Self.conjunction(conditions) { sql += " WHERE \(conjunction)" }
        sql += " ORDER BY \(order.sql)"
        if let limit { sql += " LIMIT \(limit)" }
        return (sql, translator.values)
    }

    private static func conjunction(_ conditions: [String]) -> String? {
        conditions.isEmpty ? nil : conditions.joined(separator: " AND ")
    }

    /// Returns how SQLite finds the objects of a part.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - position: The position after which the result begins, or `nil` for the whole part.
    ///   - isFilterInColumn: Whether the filter was a column of the result on the page before.
    ///   - statements: The connection.
    /// - Returns: The way.
    /// - Throws: The error that SQLite reports.
    func way(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ isFilterInColumn: Bool,
        _ statements: StatementCache
    ) throws -> Way {
        let byFilter = Way(isSorting: false, isFilterInColumn: false)
        if isFilterInColumn, let slower = try slowerWay(than: byFilter, part, after: position, statements) {
            return slower
        }
        let filtered = try steps(part, after: position, byFilter, statements)
        if Self.isSorting(filtered) { return Way(isSorting: true, isFilterInColumn: false) }
        guard filter != nil else { return byFilter }
        let slower = Way(isSorting: false, isFilterInColumn: true)
        // If SQLite reads the same rows with and without the condition, no index finds those that match.
        return try steps(part, after: position, slower, statements).first == filtered.first ? slower : byFilter
    }

    /// Returns the way with a row for each object that is looked at, or `nil` if there is none besides `way`.
    func slowerWay(
        than way: Way,
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ statements: StatementCache
    ) throws -> Way? {
        guard filter != nil, !way.isFilterInColumn else { return nil }
        let slower = Way(isSorting: false, isFilterInColumn: true)
        return try Self.isSorting(steps(part, after: position, slower, statements)) ? nil : slower
    }

    private func steps(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ way: Way,
        _ statements: StatementCache
    ) throws -> [String] {
        let (sql, values) = query(part, after: position, way, limit: nil)
        return try statements.queryPlan(sql, values)
    }

    /// Whether SQLite sorts all rows before the first is known.
    private static func isSorting(_ steps: [String]) -> Bool {
        steps.contains { $0.contains("TEMP B-TREE") && $0.contains("ORDER BY") }
    }

    /// Returns the query that counts the matching objects, with the values of its parameters.
    ///
    /// - Parameter counter: The result of ``StatementCache/counter(_:)``.
    /// - Returns: The SQL and the values.
    func count(_ counter: String) -> (sql: String, values: [ColumnValue]) {
        let conditions = scope + (filter.map { [$0] } ?? []) + search
        let condition = Self.conjunction(conditions).map { " WHERE \($0)" } ?? ""
        return ("SELECT \(counter) FROM \(source.table)\(condition)", translator.values)
    }

    /// Returns the query for the values by which an object is sorted, with the values of its parameters.
    func sortedValues(of key: Int64) -> (sql: String, values: [ColumnValue]) {
        var translator = translator
        let parameter = translator.bind(.integer(key))
        let columns = order.terms.map(\.sql).joined(separator: ", ")
        return ("SELECT \(columns) FROM \(source.table) WHERE \(source.key) = \(parameter)", translator.values)
    }
}

extension SchemaDescription {
    /// Returns the entity that a query names.
    ///
    /// - Throws: `InspectionQueryError` that names the nearest entity if there is none.
    func inspected(_ name: String) throws -> Entity {
        if let entity = entity(name) { return entity }
        let names = entities.map(\.name)
        let nearest = NearestName.of(name, in: names)
        throw InspectionQueryError(
            "The database has no table \(name). Choose \(nearest ?? names.joined(separator: ", "))."
        )
    }
}

extension PageOrder {
    /// The maximum number of columns to sort by.
    private static let mostTerms = 8

    /// Looks up the columns of an order.
    ///
    /// - Throws: `InspectionQueryError` if a column does not exist or can't be sorted.
    fileprivate init(_ order: [InspectionQuery.Order], _ source: FilterTranslator.Source) throws {
        var terms: [Term] = []
        for term in order {
            if term.column == ResolvedEntity.keyColumn {
                // The keys are unique, so what follows has no effect.
                self.init(terms, key: source.key, isKeyAscending: term.isAscending)
                return
            }
            guard let column = source.entity.attributes.first(where: { $0.name == term.column }) else {
                let names = source.entity.attributes.map(\.name)
                let nearest = NearestName.of(term.column, in: names) ?? "another column"
                throw InspectionQueryError(
                    "\(source.entity.name) has no column \(term.column) to sort by. Sort by \(nearest) instead."
                )
            }
            guard column.isSortable else {
                throw InspectionQueryError("\(column.name) has no order. Sort by another column.")
            }
            guard terms.count < Self.mostTerms else {
                throw InspectionQueryError("The order has too many columns. Sort by at most \(Self.mostTerms).")
            }
            guard !terms.contains(where: { $0.column == column.name }) else { continue }
            terms.append(.init(sql: source.column(column.name), isAscending: term.isAscending, column: column.name))
        }
        self.init(terms, key: source.key)
    }
}

extension SchemaDescription.Column {
    /// Whether a list can be sorted by this column.
    var isSortable: Bool { !["json", "data"].contains(format) }
}

extension FilterTranslator {
    /// Returns the condition that the digits of a row's key begin with a prefix.
    mutating func keyPrefix(_ prefix: String, _ source: Source) -> String {
        "substr(CAST(\(source.key) AS TEXT), 1, \(prefix.unicodeScalars.count)) = \(bind(.text(prefix)))"
    }

    /// Returns the condition that the key or a value of a row contains a text, without regard to the case of letters.
    ///
    /// Whole numbers, strings and data are searched, as in a store.
    mutating func search(_ text: String, _ source: Source) -> String {
        let parameter = bind(.text(text.composed))
        var searched = source.entity.attributes.filter { Self.searchedFormats.contains($0.format) }
            .map { source.column($0.name) }
        if text.utf8.allSatisfy({ "0123456789-".utf8.contains($0) }) {
            searched += [source.key]
            searched += source.entity.attributes.filter { IntegerFormats.ranges[$0.format] != nil }
                .map { source.column($0.name) }
        }
        if searched.isEmpty { return "0" }
        return "(" + searched.map { "\(SQLFunctions.search)(\($0), \(parameter))" }.joined(separator: " OR ") + ")"
    }

    private static let searchedFormats: Set<String> = ["string", "url", "json", "data"]
}
#endif
