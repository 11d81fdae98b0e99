#if Objects
internal import LarderCore

/// A reader of one page of a list of objects.
struct PageReader {
    /// The maximum number of objects on a page.
    static let longestPage = 1_000
    /// The number of rows between looks at the clock.
    private static let rowsPerLook = 64
    /// The time after which sorting without an index is given up.
    private static let longestSort = Duration.seconds(10)
    /// The time that counting the matches of a filter may take.
    private static let longestCount = Duration.milliseconds(50)

    let selection: ObjectSelection
    let statements: StatementCache
    let limit: Int
    let patience: Duration
    let clock = ContinuousClock()

    /// The keys on a page.
    struct Keys {
        var keys: [Int64] = []
        /// The position after the last object that was read, or `nil` if there are no more.
        var next: PagePosition?
    }

    /// Returns the keys of the next objects after a position.
    ///
    /// - Throws: `InspectionQueryError` if the position is not valid, or the error that SQLite reports.
    func keys(after position: PagePosition?) throws -> Keys {
        var found = Keys()
        guard limit > 0 else { return found }
        let deadline = clock.now + patience
        let start = try position.map { (values: try known($0), key: $0.key) }
        for (index, part) in selection.order.parts(from: position).enumerated() {
            let place = index == 0 || part == .further ? start : nil
            if try read(part, after: place, until: deadline, &found) { return found }
        }
        found.next = nil
        return found
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
        until deadline: ContinuousClock.Instant,
        _ found: inout Keys
    ) throws -> Bool {
        let way = try selection.way(part, after: position, statements)
        if way.isSorting {
            let query = selection.query(part, after: position, way, limit: limit - found.keys.count + 1)
            return try statements.interrupting(after: Self.longestSort, orThrowing: tooLong) {
                try step(query, nil, &found)
            }
        }
        return try step(selection.query(part, after: position, way, limit: nil), deadline, &found)
    }

    private var tooLong: InspectionQueryError {
        let column = selection.order.terms.first?.column ?? "this property"
        return InspectionQueryError(
            "Sorting by \(column) takes too long, because it has no index. Narrow the filter, or sort by the key or an indexed property."
        )
    }

    /// Steps through a query of ``ObjectSelection/query(_:after:_:limit:)``.
    private func step(
        _ query: (sql: String, values: [ColumnValue]),
        _ deadline: ContinuousClock.Instant?,
        _ found: inout Keys
    ) throws -> Bool {
        let rows = try statements.statement(query.sql)
        defer { rows.reset() }
        rows.bind(query.values)
        var count = 0
        var last: PagePosition?
        while try rows.step() {
            count += 1
            let matches = rows.integer(at: 1) != 0
            if matches {
                if found.keys.count == limit {
                    // There is one more, so the page is not the last.
                    found.next = last ?? found.next
                    return true
                }
                found.keys.append(rows.integer(at: 0))
            }
            let isOver = deadline.map { count % Self.rowsPerLook == 0 && clock.now > $0 } ?? false
            if matches || isOver { last = position(rows) }
            if isOver {
                found.next = last
                return true
            }
        }
        // The next part may have another object, before which the page ends.
        found.next = last ?? found.next
        return false
    }

    private func position(_ row: PreparedStatement) -> PagePosition {
        PagePosition(
            values: selection.order.terms.indices.map { row.value(at: $0 + 2) },
            key: row.integer(at: 0)
        )
    }

    /// Returns the number of objects that match, or `nil` if counting takes long.
    func total() throws -> Int? {
        let (sql, values) = selection.count
        return try statements.interrupted(after: Self.longestCount) {
            try statements.integers(sql, values).first.map { Int($0) }
        } ?? nil
    }
}
#endif
