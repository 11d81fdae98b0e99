#if Objects
/// The rows of entities and join tables that the statements of one transaction may have changed.
struct RowNotes: Sendable {
    /// The key of a row: an object id and 0, or the two object ids of a link.
    struct Key: Hashable, Comparable, Sendable {
        let first: Int64
        var second: Int64 = 0

        static func < (left: Key, right: Key) -> Bool { (left.first, left.second) < (right.first, right.second) }
    }

    /// An event in the life of a row.
    ///
    /// `found` means that the row exists before another row with the same unique values is written, which may replace it.
    enum Event: Int64 { case inserted, deleted, updated, found }

    struct Note: Sendable {
        /// Whether the row existed before the transaction.
        let existed: Bool
        /// Whether the row may not exist after the transaction.
        var mayBeGone = false
        /// Whether the row may have been inserted again with other values.
        var mayBeReplaced = false
        var columns = ColumnSet()
    }

    /// The notes of each table.
    private(set) var tables: [[Key: Note]]

    init(tables count: Int) { tables = Array(repeating: [:], count: count) }

    /// Notes an event.
    ///
    /// The first event of a row tells whether the row existed before, even if a savepoint is rolled back later.
    mutating func note(_ event: Event, _ table: Int, _ key: Key, _ changed: ColumnSet = ColumnSet()) {
        if event == .updated, changed.isEmpty { return }
        var note = tables[table][key] ?? Note(existed: event != .inserted)
        switch event {
        case .updated: note.columns.formUnion(changed)
        case .found: note.mayBeGone = true
        case .inserted, .deleted: (note.mayBeGone, note.mayBeReplaced) = (true, true)
        }
        tables[table][key] = note
    }
}
#endif
