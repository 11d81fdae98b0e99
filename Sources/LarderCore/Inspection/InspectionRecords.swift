/// The records of a small table that is read into memory for each page.
package struct InspectionRecords {
    private let name: String
    private let columns: [InspectionColumn]
    private let records: [InspectionRecord]
    private let precedes: (String, String) -> Bool

    /// Creates a table of records.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - columns: The columns, of which none can be sorted by.
    ///   - records: The records, sorted by key.
    ///   - precedes: A closure that returns whether a key sorts before another one.
    package init(
        _ name: String,
        _ columns: [InspectionColumn],
        _ records: [InspectionRecord],
        by precedes: @escaping (String, String) -> Bool = { $0.precedesByBytes($1) }
    ) {
        self.name = name
        self.columns = columns
        self.records = records
        self.precedes = precedes
    }

    /// The table for display.
    package var table: InspectionTable { InspectionTable(name: name, count: records.count, columns: columns) }

    /// Returns the record with a key, or `nil` if there is none.
    package func record(_ key: String) -> InspectionRecord? { records.first { $0.key.hasSameBytes(as: key) } }

    /// Returns the next records that a query matches.
    ///
    /// - Throws: ``InspectionQueryError`` for a filter or an order.
    package func page(_ query: InspectionQuery) throws -> InspectionPage {
        guard query.filter.isEmpty else {
            throw InspectionQueryError(
                "The table \(name.debugDescription) can't be filtered by properties. Search for a prefix of the keys, or for a text.",
                at: 0..<query.filter.unicodeScalars.count
            )
        }
        guard query.order.isEmpty, query.relation == nil else {
            throw InspectionQueryError("The table \(name.debugDescription) has one order and no relationships.")
        }
        let search = TextSearch(query.text)
        let matching = records.filter { record in
            record.key.utf8.starts(with: query.prefix.utf8) && search.map { matches(record, $0) } ?? true
        }
        let rest = matching.drop { record in
            query.after.map { !precedes(String(decoding: $0.utf8.dropFirst(), as: UTF8.self), record.key) } ?? false
        }
        let page = rest.prefix(max(1, query.limit)).map { $0.cut(to: query.longestValue) }.beginning(of: query.bytes)
        return InspectionPage(
            records: page,
            // The mark makes the place after the empty key distinct from the first place.
            next: page.count < rest.count ? page.last.map { ">" + $0.key } : nil,
            total: matching.count
        )
    }

    private func matches(_ record: InspectionRecord, _ search: TextSearch) -> Bool {
        search.matches(record.key) || record.values.contains { search.matches($0) }
    }
}
