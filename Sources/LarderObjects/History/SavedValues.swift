#if Objects
extension SavedChanges {
    /// Values that objects of one entity had before a save.
    struct Values: Sendable, Hashable {
        struct Row: Sendable, Hashable {
            let id: Int64
            /// The stored values, in the order of ``Values/columns``.
            let values: [ColumnValue]
        }

        let entity: String
        /// The kind of the change: an update, or a deletion whose tombstone keeps the values.
        let kind: Kind
        /// The names of the columns in ascending order.
        let columns: [String]
        /// The objects, in ascending order of ids.
        var rows: [Row]
    }
}

extension [SavedChanges] {
    /// Adds values to the last part, and to further parts if they exceed a size.
    ///
    /// - Parameters:
    ///   - values: The values to add.
    ///   - limit: The size in bytes of the values that one part may have. A part has at least one row.
    mutating func add(_ values: [SavedChanges.Values], inPartsOf limit: Int) {
        var size = 0
        for group in values {
            var group = group
            let rows = group.rows
            group.rows = []
            for row in rows {
                let bytes = row.values.reduce(8) { $0 + $1.textSize }
                if size > 0, size + bytes > limit {
                    if !group.rows.isEmpty { self[count - 1].values.append(group) }
                    group.rows = []
                    append(SavedChanges())
                    size = 0
                }
                group.rows.append(row)
                size += bytes
            }
            if !group.rows.isEmpty { self[count - 1].values.append(group) }
        }
    }
}

extension ColumnValue {
    /// The approximate size in bytes of the value as JSON.
    fileprivate var textSize: Int {
        switch self {
        case .null: 5
        case .integer, .real: 12
        case .text(let text): text.utf8.count + 3
        case .blob(let data): data.count / 3 * 4 + 16
        }
    }
}
#endif
