/// A page that is filled until it has as many entries or bytes as its request allows.
package struct EntryPageFilling {
    private var entries: [PagedEntry] = []
    private let limit: Int
    private let longestValue: Int?
    /// The number of bytes for which the page has room, or `nil` if bytes do not matter.
    private var room: Int?

    /// Creates an empty page for a request.
    package init(_ request: EntryPageRequest) {
        limit = max(0, request.limit)
        longestValue = request.longestValue
        room = request.bytes
    }

    /// Whether the page can take no more entries.
    package var isFull: Bool { entries.count >= limit || (room.map { $0 <= 0 } ?? false) }

    /// Adds the next entry, whose value is cut as the request says.
    ///
    /// An entry with the key of the last one is left out.
    package mutating func add(_ entry: PagedEntry) {
        if let last = entries.last, last.key.hasSameBytes(as: entry.key) { return }
        let entry = entry.cut(to: longestValue)
        if let room { self.room = room - entry.approximateSize }
        entries.append(entry)
    }

    /// Returns the page.
    ///
    /// - Parameters:
    ///   - isLast: Whether no entry follows the last one.
    ///   - total: The number of entries with the prefix, or `nil`.
    /// - Returns: The page.
    package consuming func page(isLast: Bool, total: Int? = nil) -> EntryPage {
        let next = isLast ? nil : entries.last?.key
        return EntryPage(entries: entries, next: next, total: total)
    }
}

extension EntryPageRequest {
    /// Returns the page of a store whose entries are some of those of another store, in the same order.
    ///
    /// - Parameters:
    ///   - base: The other store.
    ///   - first: The request for the first part of its entries. If it has a search, that part is the page.
    ///   - entry: A closure that returns the entry for one of the base, or `nil` if it is not one of the store.
    /// - Returns: The page, with the total of the base.
    /// - Throws: `StoreError` if the base can't be read, or what `entry` throws.
    package func page(
        of base: any KeyValueStore,
        _ first: EntryPageRequest,
        _ entry: (PagedEntry) throws -> PagedEntry?
    ) throws -> EntryPage {
        var filling = EntryPageFilling(self)
        var request = first
        var total: Int?
        while true {
            let part = try base.entryPage(request)
            total = total ?? part.total
            for (position, stored) in part.entries.enumerated() {
                guard let entry = try entry(stored) else { continue }
                filling.add(entry)
                guard !filling.isFull else {
                    let isLast = position == part.entries.count - 1 && part.next == nil
                    return filling.page(isLast: isLast, total: total)
                }
            }
            guard let next = part.next else { return filling.page(isLast: true, total: total) }
            guard first.search == nil else {
                // The caller decides whether to wait for more.
                var page = filling.page(isLast: false, total: nil)
                page.next = next
                return page
            }
            request.after = next
            // Each part is a pass over the whole store, so that parts of only the missing entries would take long if most are skipped.
            request.limit = max(first.limit, Self.entriesInPart)
            request.bytes = first.bytes ?? Self.bytesInPart
        }
    }
}

extension PagedEntry {
    /// The approximate number of bytes that this entry occupies in memory.
    var approximateSize: Int {
        guard case .success(let value) = value else { return 64 + key.utf8.count }
        return 64 + key.utf8.count + value.approximateSize
    }
}
