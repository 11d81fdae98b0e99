/// What a page of a store's entries contains.
package struct EntryPageRequest: Sendable {
    /// The prefix of the keys, compared bytewise.
    package var prefix: String
    /// The key that precedes the page in its order, which may be missing from the store, or `nil` for the first page.
    package var after: String?
    /// Whether the smallest key comes first.
    package var isAscending: Bool
    /// The maximum number of entries.
    ///
    /// A page with the limit 0 has no entries, and tells the total.
    package var limit: Int
    /// The text to search for, or `nil` for all entries.
    ///
    /// A store may leave out entries that do not contain the text, but need not: the caller checks each entry.
    package var search: TextSearch?
    /// The number of bytes after which a string, URL or data is cut, or `nil` for whole values.
    ///
    /// A store may leave values whole, but need not read more than their beginning.
    package var longestValue: Int?
    /// The approximate number of bytes of values after which the page ends, or `nil` if only ``limit`` ends it.
    ///
    /// The page has at least one entry, however large.
    package var bytes: Int?

    /// The number of bytes of a part of the entries that is read to look at each of them.
    package static let bytesInPart = 4 << 20
    /// The number of entries of a part that is read to skip entries, because each part is a pass over the whole store.
    package static let entriesInPart = 1 << 10

    /// Creates a request.
    package init(
        prefix: String = "",
        after: String? = nil,
        isAscending: Bool = true,
        limit: Int,
        search: TextSearch? = nil,
        longestValue: Int? = nil,
        bytes: Int? = nil
    ) {
        self.prefix = prefix
        self.after = after
        self.isAscending = isAscending
        self.limit = limit
        self.search = search
        self.longestValue = longestValue
        self.bytes = bytes
    }
}

/// An entry of a page.
package struct PagedEntry: Sendable {
    /// The full key.
    package var key: String
    /// The value, or the error for a value that can't be read.
    package var value: Result<StoredValue, any Error>
    /// When the entry expires, as seconds since 1 January 1970, or `nil` if it does not expire.
    package var expiry: Double?
    /// The number of bytes of the value before it was cut, or `nil` if it is whole.
    package var size: Int?

    /// Creates an entry.
    package init(key: String, value: Result<StoredValue, any Error>, expiry: Double? = nil, size: Int? = nil) {
        self.key = key
        self.value = value
        self.expiry = expiry
        self.size = size
    }

    /// Returns this entry with a value that is cut to a number of bytes, unless it was cut before.
    package func cut(to longest: Int?) -> PagedEntry {
        guard longest != nil, size == nil, case .success(let whole) = value else { return self }
        let (rest, sizeBefore) = whole.cut(to: longest)
        return PagedEntry(key: key, value: .success(rest), expiry: expiry, size: sizeBefore)
    }
}

/// A page of a store's entries.
package struct EntryPage: Sendable {
    /// The entries, in the order of the request.
    package var entries: [PagedEntry]
    /// The key after which the next page begins, or `nil` if no further entry follows.
    ///
    /// Without a search and a limit in bytes, a page with a next page has as many entries as the request allows.
    package var next: String?
    /// The number of entries with the prefix, or `nil` if the store has not counted them.
    package var total: Int?

    /// Creates a page.
    package init(entries: [PagedEntry] = [], next: String? = nil, total: Int? = nil) {
        self.entries = entries
        self.next = next
        self.total = total
    }

    /// Creates a page from all entries with the prefix of a request, sorted by key.
    package init(of sorted: [StoreEntry], _ request: EntryPageRequest) {
        var rest = sorted[...]
        if let after = request.after {
            rest =
                request.isAscending
                ? sorted[sorted.partitioningIndex { after.precedesByBytes($0.key) }...]
                : sorted[..<sorted.partitioningIndex { !$0.key.precedesByBytes(after) }]
        }
        let limit = max(0, request.limit)
        let page = request.isAscending ? Array(rest.prefix(limit)) : rest.suffix(limit).reversed()
        self.init(page, isLast: page.count == rest.count, total: sorted.count, request) {
            PagedEntry(key: $0.key, value: .success($0.value))
        }
    }

    /// Creates a page from the first elements of a selection, as many as the bytes of the request allow.
    ///
    /// - Parameters:
    ///   - elements: What becomes an entry each, in the order of the request.
    ///   - isLast: Whether no entry follows the elements.
    ///   - total: The number of entries with the prefix, or `nil`.
    ///   - request: The limits of the page.
    ///   - entry: A closure that is called with one element after the other until the page is full.
    package init<Element>(
        _ elements: [Element],
        isLast: Bool,
        total: Int? = nil,
        _ request: EntryPageRequest,
        _ entry: (Element) throws -> PagedEntry
    ) rethrows {
        var filling = EntryPageFilling(request)
        for (position, element) in elements.enumerated() {
            filling.add(try entry(element))
            guard !filling.isFull else {
                self = filling.page(isLast: isLast && position == elements.count - 1, total: total)
                return
            }
        }
        self = filling.page(isLast: isLast, total: total)
    }
}

/// A store that reads a page of its entries without listing the others.
package protocol PagingStore: KeyValueStore {
    /// Returns a page of the entries.
    ///
    /// Without a search, the page is a consistent snapshot. With a search, an entry that is removed and added again meanwhile may be
    /// missing.
    ///
    /// - Throws: `StoreError` if the store can't be read. A single value that can't be read is part of the page instead.
    func page(_ request: EntryPageRequest) throws -> EntryPage
}

/// A store whose entries are kept by another store.
package protocol WrappingStore: KeyValueStore {
    /// The store that keeps the entries, in its own form and under its own keys.
    var wrappedStore: any KeyValueStore { get throws }
    /// The prefix that each key of this store has in ``wrappedStore`` in addition, which is empty by default.
    var addedPrefix: String { get }
}

extension WrappingStore {
    package var addedPrefix: String { "" }
}

extension KeyValueStore {
    /// What precedes the keys of this store in the stores that it wraps.
    var keyPrefixInBase: String {
        guard let wrapping = self as? any WrappingStore else { return "" }
        // A store that can't be opened has no keys.
        return ((try? wrapping.wrappedStore)?.keyPrefixInBase ?? "") + wrapping.addedPrefix
    }
}

/// A store that has the same entries as another store.
package protocol TransparentStore: WrappingStore, PagingStore {}

extension TransparentStore {
    package func page(_ request: EntryPageRequest) throws -> EntryPage { try wrappedStore.entryPage(request) }
}

extension KeyValueStore {
    /// Returns a page of the entries.
    ///
    /// A store of another module is asked for its ``KeyValueStore/entries(after:prefix:limit:)``, which it may have implemented.
    package func entryPage(_ request: EntryPageRequest) throws -> EntryPage {
        if let paging = self as? any PagingStore { return try paging.page(request) }
        guard request.isAscending, request.limit > 0, request.limit < Int.max else {
            return EntryPage(of: try entries(prefix: request.prefix), request)
        }
        // One more entry tells whether another page follows.
        let found = try entries(after: request.after, prefix: request.prefix, limit: request.limit + 1)
        return EntryPage(Array(found.prefix(request.limit)), isLast: found.count <= request.limit, request) {
            PagedEntry(key: $0.key, value: .success($0.value))
        }
    }

    /// Returns the number of entries, without reading them if the store is a ``PagingStore``.
    package func entryCount() throws -> Int {
        if let paging = self as? any PagingStore, let total = try paging.page(.init(limit: 0)).total { return total }
        return try count()
    }

    /// Returns up to `limit` entries that follow a key, sorted by the bytes of the full key.
    ///
    /// This default implementation reads all entries with the prefix. The stores of Larder read only those of the page.
    ///
    /// - Parameters:
    ///   - key: The key that precedes the entries, which may be missing from the store, or `nil` to begin with the first entry.
    ///   - prefix: The prefix of the keys to list, compared bytewise.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries, fewer than `limit` only if no further entry follows.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func entries(after key: String?, prefix: String, limit: Int) throws -> [StoreEntry] {
        var found: [StoreEntry] = []
        var request = EntryPageRequest(prefix: prefix, after: key, limit: limit)
        guard let paging = self as? any PagingStore else {
            // Not `entryPage`, which calls this method.
            return try EntryPage(of: entries(prefix: prefix), request).entries.map { entry in
                StoreEntry(key: entry.key, value: try entry.value.get())
            }
        }
        while request.limit > 0 {
            let page = try paging.page(request)
            for entry in page.entries { found.append(StoreEntry(key: entry.key, value: try entry.value.get())) }
            guard let next = page.next else { break }
            request.after = next
            request.limit = limit - found.count
        }
        return found
    }

    /// Returns up to `limit` entries that follow a key, sorted by the bytes of the full key.
    ///
    /// - Parameters:
    ///   - key: The key that precedes the entries, which may be missing from the store, or `nil` to begin with the first entry.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries, fewer than `limit` only if no further entry follows.
    /// - Throws: ``StoreError`` if the store cannot be read.
    public func entries(after key: String?, limit: Int) throws -> [StoreEntry] {
        // With a default for the prefix instead, a call would not reach a store's own implementation.
        try entries(after: key, prefix: "", limit: limit)
    }
}
