/// The records of a table that is listed for each page, of which only those of the page are read.
package struct InspectionRecords {
    private let name: String
    private let columns: [InspectionColumn]
    private let keys: [String]
    private let precedes: (String, String) -> Bool
    private let read: (Int) throws -> InspectionRecord?

    /// Creates a table of records that are read one by one.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - columns: The columns, of which none can be sorted by.
    ///   - keys: The keys of the records, sorted.
    ///   - precedes: A closure that returns whether a key sorts before another one.
    ///   - read: A closure that returns the record with the key at an index, or `nil` if it is gone.
    package init(
        _ name: String,
        _ columns: [InspectionColumn],
        keys: [String],
        by precedes: @escaping (String, String) -> Bool = { $0.precedesByBytes($1) },
        read: @escaping (Int) throws -> InspectionRecord?
    ) {
        self.name = name
        self.columns = columns
        self.keys = keys
        self.precedes = precedes
        self.read = read
    }

    /// Creates a table of records, sorted by the bytes of their keys.
    package init(_ name: String, _ columns: [InspectionColumn], _ records: [InspectionRecord]) {
        self.init(name, columns, keys: records.map(\.key)) { records[$0] }
    }

    /// The table for display.
    package var table: InspectionTable { InspectionTable(name: name, count: keys.count, columns: columns) }

    /// Returns the record with a key, or `nil` if there is none.
    package func record(_ key: String) throws -> InspectionRecord? {
        try keys.firstIndex { $0.hasSameBytes(as: key) }.flatMap { try read($0) }
    }

    /// Returns the next records that a query matches.
    ///
    /// - Throws: ``InspectionQueryError`` for a filter or an order, or an error if a record can't be read.
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
        let search = try TextSearch(of: query)
        let matching = keys.indices.filter { keys[$0].utf8.starts(with: query.prefix.utf8) }
        let rest = matching.drop { index in
            query.after.map { !precedes(String(decoding: $0.utf8.dropFirst(), as: UTF8.self), keys[index]) } ?? false
        }
        let clock = ContinuousClock()
        let end = clock.now + query.patience
        var page = InspectionPage(records: [], total: search == nil ? matching.count : nil)
        var room = query.bytes ?? .max
        for index in rest {
            if let record = try read(index), search.map({ matches(record, $0) }) ?? true {
                let record = record.cut(to: query.longestValue)
                room -= query.bytes == nil ? 0 : record.approximateSize
                page.records.append(record)
            }
            let isOver = search != nil && clock.now >= end
            if page.records.count == max(1, query.limit) || room <= 0 || isOver {
                // The mark makes the place after the empty key distinct from the first place.
                page.next = index == rest.last ? nil : ">" + keys[index]
                break
            }
        }
        return page
    }

    private func matches(_ record: InspectionRecord, _ search: TextSearch) -> Bool {
        search.matches(record.key) || record.values.contains { search.matches($0) }
    }
}
