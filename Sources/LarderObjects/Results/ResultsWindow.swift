#if Objects
/// A list whose request may have a limit and an offset.
///
/// A limited list also holds the keys before its offset, and a reserve of keys behind its limit, so that most changes need no query.
struct ResultsWindow: Sendable {
    /// The number of keys behind the limit that a query reads.
    static let reserve = 64

    /// The objects in the list.
    private(set) var index: ResultsIndex
    private let limit: Int?
    private let offset: Int
    /// The keys before the list, in the list and behind it, which are held only if there is a limit or an offset.
    private var held: ResultsIndex
    /// The key up to which all matching objects are held, or `nil` if all matching objects are held.
    private var boundary: SortKey?

    init(_ plan: ResultsPlan) {
        index = ResultsIndex(isSectioned: plan.isSectioned)
        held = ResultsIndex(isSectioned: false)
        limit = plan.limit
        offset = plan.offset
    }

    /// The number of keys to read for a full list, or `nil` to read all keys.
    var wanted: Int? { limit.map { offset + $0 + Self.reserve } }

    private var isPartial: Bool { limit != nil || offset > 0 }

    /// Replaces all keys.
    ///
    /// - Parameters:
    ///   - keys: The first ``wanted`` keys in order.
    ///   - isUpdated: Returns whether an object may have changed that belongs to the list before and afterward.
    /// - Returns: The difference.
    mutating func rebuild(_ keys: [SortKey], updating isUpdated: (Int64) -> Bool) -> IndexDifference {
        guard isPartial else { return index.rebuild(keys, updating: isUpdated) }
        held = ResultsIndex(keys, isSectioned: false)
        boundary = wanted == keys.count ? keys.last : nil
        return index.rebuild(Array(visible), updating: isUpdated)
    }

    /// Updates the list with objects that may have changed.
    ///
    /// - Parameters:
    ///   - rows: The objects. Each object occurs at most once.
    ///   - more: Returns up to the given number of keys behind a key, or from the beginning if the key is `nil`.
    /// - Returns: The difference.
    /// - Throws: The error that `more` throws.
    mutating func apply(
        _ rows: [ResultsIndex.Row],
        more: (SortKey?, Int) throws -> [SortKey]
    ) rethrows -> IndexDifference {
        guard isPartial else { return index.apply(rows) }
        _ = held.apply(
            rows.map { row in
                let isHeld = row.key.flatMap { key in boundary.map { key <= $0 } } ?? true
                return ResultsIndex.Row(id: row.id, key: isHeld ? row.key : nil)
            }
        )
        try refill(more)
        trim()
        return index.apply(shift(rows))
    }

    private var keys: ChunkedList<SortKey> { held.sections[0].keys }

    private var visible: Slice<ChunkedList<SortKey>> {
        let start = min(offset, keys.count)
        return keys[start..<(limit.map { min(start + $0, keys.count) } ?? keys.count)]
    }

    /// Reads more keys if too few are left for the list.
    private mutating func refill(_ more: (SortKey?, Int) throws -> [SortKey]) rethrows {
        guard boundary != nil, let wanted, held.count < wanted - Self.reserve else { return }
        let count = wanted - held.count
        let found = try more(keys.last, count)
        // The database may contain a later save, which has moved a row of the list. The merge of that save moves it here.
        let new = found.filter { held.key(of: $0.id) == nil }
        _ = held.apply(new.map { ResultsIndex.Row(id: $0.id, key: $0) })
        boundary = found.count < count ? nil : found.last
    }

    /// Removes keys far behind the limit.
    private mutating func trim() {
        guard let wanted, held.count > wanted + Self.reserve else { return }
        _ = held.apply(keys[wanted...].map { ResultsIndex.Row(id: $0.id, key: nil) })
        boundary = keys.last
    }

    /// Returns the given rows as they are in the list, and the rows that enter or leave the list at its ends.
    private func shift(_ rows: [ResultsIndex.Row]) -> [ResultsIndex.Row] {
        let visible = visible
        func isVisible(_ key: SortKey) -> Bool {
            guard let first = visible.first, let last = visible.last else { return false }
            return first <= key && key <= last
        }
        var keys: [Int64: SortKey?] = [:]
        for row in rows { keys[row.id] = .some(row.key.flatMap { isVisible($0) ? $0 : nil }) }
        for key in index.outer(where: { !isVisible($0) }) where keys[key.id] == nil { keys[key.id] = .some(nil) }
        let (first, last) = (index.first, index.last)
        let before = visible.prefix { key in first.map { key < $0 } ?? true }
        let behind = visible.dropFirst(before.count).reversed().prefix { key in last.map { key > $0 } ?? true }
        for key in before where keys[key.id] == nil { keys[key.id] = key }
        for key in behind where keys[key.id] == nil { keys[key.id] = key }
        return keys.map { ResultsIndex.Row(id: $0.key, key: $0.value) }
    }
}

extension ResultsIndex {
    fileprivate var first: SortKey? { sections.first?.keys.first }
    fileprivate var last: SortKey? { sections.last?.keys.last }

    /// Returns the keys at both ends of the list for which a condition is true.
    fileprivate func outer(where condition: (SortKey) -> Bool) -> [SortKey] {
        let keys = sections.lazy.flatMap(\.keys)
        let first = Array(keys.prefix(while: condition))
        guard first.count < count else { return first }
        return first + sections.reversed().lazy.flatMap { $0.keys.reversed() }.prefix(while: condition)
    }
}
#endif
