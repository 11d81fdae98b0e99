#if Objects
/// The changes of the merges since a list was read, each row once.
///
/// The memory is bounded: if too many rows have changed, anything may have changed.
struct PendingChanges {
    /// The maximum number of rows to collect.
    static let limit = 20_000

    private var changes: RowChanges?
    /// The number of rows after which repeated rows are joined.
    private var threshold = 1_000

    var isEmpty: Bool { changes == nil }

    /// Adds the changes of a merge.
    mutating func add(_ other: RowChanges) {
        guard var sum = changes else { return changes = other }
        guard !sum.isComplete else { return }
        changes = nil
        sum.add(other)
        if sum.count > threshold {
            sum = sum.joined
            threshold = max(1_000, 2 * sum.count)
        }
        changes = sum.isComplete || sum.count > Self.limit ? .anything(in: sum) : sum
    }

    /// Records that anything may have changed.
    mutating func addAnything(entities count: Int) { changes = .anything(in: RowChanges(entities: count)) }

    /// Removes and returns all changes, or `nil` if there are none.
    mutating func take() -> RowChanges? {
        defer { self = PendingChanges() }
        return changes
    }
}

extension RowChanges {
    static func anything(in other: RowChanges) -> RowChanges {
        var changes = RowChanges(entities: other.entities.count)
        changes.isComplete = true
        return changes
    }

    /// The same changes, in which each row is inserted, updated and deleted at most once.
    ///
    /// Unlike in ``result``, nothing cancels out: a row that was deleted and inserted again has changed.
    fileprivate var joined: RowChanges {
        var joined = RowChanges(entities: entities.count, mayRepeat: true)
        for (entity, rows) in entities.enumerated() where !rows.isEmpty {
            for row in RowIDSet(rows.inserted).sorted() { joined.insert(entity, row) }
            for row in RowIDSet(rows.deleted).sorted() { joined.delete(entity, row) }
            var updated: [Int64: ColumnSet] = [:]
            for (row, place) in rows.updated { updated[row, default: ColumnSet()].formUnion(columns[place]) }
            for (row, changed) in updated { joined.update(entity, row, changed) }
        }
        // Lists depend on whole relationships.
        for table in links.keys { joined.changeLinks(in: table) }
        return joined
    }
}
#endif
