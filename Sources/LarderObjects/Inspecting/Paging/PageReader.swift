#if Objects
internal import LarderCore

/// A reader of one page of a list of objects.
struct PageReader {
    /// The maximum number of objects on a page.
    static let longestPage = 1_000
    /// The number of rows between looks at the patience.
    private static let rowsPerLook = 64
    /// The time between two rows whose positions are kept, so that the next page can begin there.
    private static let positionPause = Duration.milliseconds(10)

    let selection: ObjectSelection
    let statements: StatementCache
    let limit: Int
    let patience: Duration
    let limits: InspectionLimits

    /// The objects on a page.
    struct Page {
        var objects: [(key: Int64, position: PagePosition)] = []
        /// The position after the last object that was read, or `nil` if there are no more.
        var next: PagePosition?
    }

    /// Returns the next objects after a position.
    ///
    /// - Throws: `InspectionQueryError` if the position is not valid or no object is found for long, or the error that SQLite reports.
    func objects(after position: PagePosition?) throws -> Page {
        var page = Page()
        guard limit > 0 else { return page }
        let start = try position.map { (values: try known($0), key: $0.key) }
        for (index, part) in selection.order.parts(from: position).enumerated() {
            let place = index == 0 || part == .further ? start : nil
            if try read(part, after: place, position?.isFilterInColumn ?? false, &page) { return page }
        }
        page.next = nil
        return page
    }

    /// Returns the query that reads most of the objects after a position, with the values of its parameters.
    func longestQuery(after position: PagePosition?) throws -> (sql: String, values: [ColumnValue]) {
        let start = try position.map { (values: try known($0), key: $0.key) }
        let parts = selection.order.parts(from: position)
        let part = parts.first { $0 != .missing && $0 != .same } ?? parts.first ?? .everything
        let place = parts.first == part || part == .further ? start : nil
        let way = try selection.way(part, after: place, position?.isFilterInColumn ?? false, statements)
        return selection.query(part, after: place, way, limit: way.isSorting ? limit + 1 : nil)
    }

    /// Returns the values of a position, of which long ones are read from its object.
    private func known(_ position: PagePosition) throws -> [ColumnValue] {
        guard position.values.contains(nil) else { return position.values.compactMap(\.self) }
        let (sql, parameters) = selection.sortedValues(of: position.key)
        let rows = try statements.rows(sql, parameters) { row in
            position.values.indices.map { row.value(at: $0) }
        }
        guard let values = rows.first else {
            throw InspectionQueryError(
                "The last object of the page before was deleted, so the next one can't be found. Load the first page again."
            )
        }
        return zip(position.values, values).map { $0 ?? $1 }
    }

    /// Reads a part of the list.
    ///
    /// - Returns: `true` if the page is complete, or if the time is over.
    private func read(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ isFilterInColumn: Bool,
        _ page: inout Page
    ) throws -> Bool {
        let way = try selection.way(part, after: position, isFilterInColumn, statements)
        if way.isSorting {
            return try statements.interrupting(after: limits.sorting, orThrowing: tooLongToSort) {
                try step(part, after: position, way, &page)
            }
        }
        if let isComplete = try stepUntilLate(part, after: position, way, &page) { return isComplete }
        // Nothing was found for long. If the filter becomes a column, SQLite returns the rows that do not match, too, so that the next page
        // begins where this one ended.
        if let slower = try selection.slowerWay(than: way, part, after: position, statements),
            let isComplete = try stepUntilLate(part, after: position, slower, &page)
        {
            return isComplete
        }
        throw InspectionQueryError(
            "The query takes too long, because it tests many objects for each one that it finds. Narrow the filter, or use shorter paths."
        )
    }

    private var tooLongToSort: InspectionQueryError {
        let column = selection.order.terms.first?.column ?? "this property"
        return InspectionQueryError(
            "Sorting by \(column) takes too long, because it has no index. Narrow the filter, or sort by the key or an indexed property."
        )
    }

    /// Reads a part of the list, or ends the page if no row comes for long.
    ///
    /// - Returns: `true` if the page is complete, or `nil` if no row came from which the next page could continue.
    private func stepUntilLate(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ way: ObjectSelection.Way,
        _ page: inout Page
    ) throws -> Bool? {
        let isComplete = try statements.interrupted(after: limits.finding) {
            try step(part, after: position, way, &page)
        }
        if let isComplete { return isComplete }
        return page.next == nil ? nil : true
    }

    /// Steps through a query of ``ObjectSelection/query(_:after:_:limit:)``.
    ///
    /// The next position of the page is always that of a row that was read.
    private func step(
        _ part: PageOrder.Part,
        after position: PageOrder.Start?,
        _ way: ObjectSelection.Way,
        _ page: inout Page
    ) throws -> Bool {
        let remaining = way.isSorting ? limit - page.objects.count + 1 : nil
        let query = selection.query(part, after: position, way, limit: remaining)
        let rows = try statements.statement(query.sql)
        defer { rows.reset() }
        rows.bind(query.values)
        let deadline = way.isSorting ? nil : ContinuousClock.now + patience
        var (count, lastLook) = (0, ContinuousClock.now - Self.positionPause)
        while try rows.step() {
            count += 1
            let matches = rows.integer(at: 1) != 0
            // There is one more, so the page is not the last.
            if matches, page.objects.count == limit { return true }
            let now = ContinuousClock.now
            let isOver = deadline.map { count % Self.rowsPerLook == 0 && now > $0 } ?? false
            if matches || isOver || now - lastLook >= Self.positionPause {
                let position = self.position(rows, way)
                if matches { page.objects.append((rows.integer(at: 0), position)) }
                (page.next, lastLook) = (position, now)
            }
            if isOver { return true }
        }
        // The next part may have another object, before which the page ends.
        return false
    }

    private func position(_ row: PreparedStatement, _ way: ObjectSelection.Way) -> PagePosition {
        PagePosition(
            values: selection.order.terms.indices.map { row.value(at: $0 + 2) },
            key: row.integer(at: 0),
            isFilterInColumn: way.isFilterInColumn
        )
    }

    /// Returns the number of objects that match, or `nil` if counting takes long.
    func total() throws -> Int? {
        let (sql, values) = selection.count(try statements.counter(limits))
        return try statements.interrupted(after: limits.counting) {
            try statements.integers(sql, values).first.map { Int($0) }
        } ?? nil
    }
}
#endif
