/// The entries of a store as the records of an inspected table.
struct EntryInspection {
    /// The name of the table.
    static let table = "entries"
    /// The name of the column that entries can be sorted by.
    static let keyColumn = "key"
    /// The columns of the table.
    private static let columns = [
        InspectionColumn(keyColumn, type: "String", isSortable: true), InspectionColumn("type", type: "String"),
        InspectionColumn("value", type: "any"),
    ]
    /// The maximum number of records in a page.
    private static let largestPage = 10_000
    /// The maximum number of entries that a search reads at once.
    private static let largestPart = 1 << 16
    /// The number of entries after which a search looks at the clock.
    private static let entriesBetweenChecks = 256

    let store: any KeyValueStore
    let search: TextSearch?
    let prefix: String
    let isAscending: Bool
    let after: String?
    let limit: Int
    let patience: Duration
    let longestValue: Int?
    let bytes: Int?

    /// Creates the page that a query describes.
    ///
    /// - Throws: ``InspectionQueryError`` if a store can't execute the query.
    init(store: any KeyValueStore, query: InspectionQuery) throws {
        guard query.table == Self.table else {
            throw InspectionQueryError(
                "A store has no table \(query.table.debugDescription). Name the table \(Self.table.debugDescription)."
            )
        }
        guard query.filter.isEmpty else {
            throw InspectionQueryError(
                "The entries of a store have no properties to filter by. Search for a prefix of their keys, or for a text in keys and values.",
                at: 0..<query.filter.unicodeScalars.count
            )
        }
        guard query.relation == nil else { throw InspectionQueryError("The entries of a store have no relationships.") }
        guard query.order.allSatisfy({ $0.column == Self.keyColumn }) else {
            throw InspectionQueryError(
                "The entries of a store can be sorted only by \(Self.keyColumn.debugDescription)."
            )
        }
        self.store = store
        search = try TextSearch(of: query)
        prefix = query.prefix
        isAscending = query.order.first?.isAscending ?? true
        after = try query.after.map { [isAscending] in try Self.key(of: $0, isAscending: isAscending) }
        limit = max(1, min(query.limit, Self.largestPage))
        patience = query.patience
        longestValue = query.longestValue
        bytes = query.bytes
    }

    /// Returns the table of a store without the number of entries.
    static func uncountedTable(of store: any KeyValueStore) -> InspectionTable {
        InspectionTable(name: table, columns: columns, keyPrefix: store.keyPrefixInBase)
    }

    // MARK: - Places

    /// Returns the place after a key, which is distinct from the first place even if the key is empty.
    private func place(after key: String) -> String { Self.mark(isAscending) + key }

    private static func mark(_ isAscending: Bool) -> String { isAscending ? ">" : "<" }

    private static func key(of place: String, isAscending: Bool) throws -> String {
        guard place.utf8.first == mark(isAscending).utf8.first else {
            throw InspectionQueryError("The next page has another order than this query. Begin with the first page.")
        }
        return String(decoding: place.utf8.dropFirst(), as: UTF8.self)
    }

    // MARK: - Pages

    func page() throws -> InspectionPage {
        var request = EntryPageRequest(prefix: prefix, after: after, isAscending: isAscending, limit: limit)
        if let search { return try page(request, search) }
        request.longestValue = longestValue
        request.bytes = bytes
        let page = try store.entryPage(request)
        return InspectionPage(
            records: page.entries.map { InspectionRecord($0.cut(to: longestValue)) },
            next: page.next.map { place(after: $0) },
            total: page.total
        )
    }

    /// Reads parts of the entries until the page is full, the entries end, or the patience is over.
    private func page(_ request: EntryPageRequest, _ search: TextSearch) throws -> InspectionPage {
        let clock = ContinuousClock()
        let end = clock.now + patience
        var request = request
        request.search = search
        request.limit = max(limit, 4 * Self.entriesBetweenChecks)
        // A search looks at whole values, but keeps only a few of them in memory at a time.
        request.bytes = EntryPageRequest.bytesInPart
        var records: [InspectionRecord] = []
        var room = bytes ?? .max
        while true {
            let begin = clock.now
            let part = try store.entryPage(request)
            for (index, entry) in part.entries.enumerated() {
                let isLast = index == part.entries.count - 1 && part.next == nil
                if search.matches(entry) {
                    let record = InspectionRecord(entry.cut(to: longestValue))
                    room -= bytes == nil ? 0 : record.approximateSize
                    records.append(record)
                }
                guard !isLast else { break }
                let isOver = index % Self.entriesBetweenChecks == 0 && index > 0 && clock.now >= end
                if records.count == limit || room <= 0 || isOver {
                    return InspectionPage(records: records, next: place(after: entry.key))
                }
            }
            guard let next = part.next else { return InspectionPage(records: records) }
            guard clock.now < end else { return InspectionPage(records: records, next: place(after: next)) }
            request.after = next
            // Larger parts need fewer passes over the store, as long as one takes a small part of the patience.
            if clock.now - begin < patience / 4 { request.limit = min(request.limit * 4, Self.largestPart) }
        }
    }
}

extension TextSearch {
    /// Returns whether the key or the value of an entry contains the searched text.
    fileprivate func matches(_ entry: PagedEntry) -> Bool {
        if matches(entry.key) { return true }
        guard case .success(let value) = entry.value else { return false }
        return matches(value)
    }
}

extension InspectionRecord {
    /// Creates the record of an entry.
    init(_ entry: PagedEntry) {
        switch entry.value {
        case .success(let value):
            self.init(
                key: entry.key,
                values: [.string(entry.key), .string(value.kind.rawValue), value],
                expiry: entry.expiry,
                sizes: entry.size.map { [2: $0] } ?? [:]
            )
        case .failure(let error):
            self.init(
                key: entry.key,
                values: [.string(entry.key), .null, .null],
                expiry: entry.expiry,
                problem: (error as? StoreError)?.message ?? "\(error)"
            )
        }
    }
}
