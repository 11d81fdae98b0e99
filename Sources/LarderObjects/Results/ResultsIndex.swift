#if Objects
internal import LarderCore

/// The row ids of a list in sorted order, divided into sections.
///
/// A copy shares the unchanged parts of the list. A change of one row takes time that grows with the logarithm of the number of rows, and with
/// the number of chunks and sections.
struct ResultsIndex: Sendable {
    /// A run of rows with equal first sort values, or all rows if the list is not sectioned.
    struct Section: Sendable {
        /// The value by which the list is divided, or ``ColumnValue/null`` without sections.
        let value: ColumnValue
        /// The range that contains the section's keys, or `nil` without sections.
        let range: Range<SortKey>?
        fileprivate(set) var keys: ChunkedList<SortKey>
    }

    /// A row that may have changed.
    struct Row {
        let id: Int64
        /// The row's new key, or `nil` if the row does not belong to the list.
        let key: SortKey?
    }

    /// Whether the first value of each key is the value of a section.
    let isSectioned: Bool
    /// The sections in order.
    ///
    /// In a sectioned list, no section is empty. In any other list, there is exactly one section.
    private(set) var sections: [Section] = []
    /// The keys, sorted by row id.
    private(set) var byID: ChunkedList<SortKey>

    /// Creates a list of rows.
    ///
    /// - Parameters:
    ///   - keys: The keys, which have different row ids, in any order.
    ///   - isSectioned: Whether the first value of each key is the value of a section.
    init(_ keys: [SortKey] = [], isSectioned: Bool) {
        self.isSectioned = isSectioned
        byID = ChunkedList(keys.sorted { $0.id < $1.id })
        let keys = keys.sorted()
        guard isSectioned else {
            sections = [Section(value: .null, range: nil, keys: ChunkedList(keys))]
            return
        }
        var start = 0
        while start < keys.count {
            let (value, range) = keys[start].section
            let end = keys[start...].firstIndex { !range.contains($0) } ?? keys.count
            sections.append(Section(value: value, range: range, keys: ChunkedList(Array(keys[start..<end]))))
            start = end
        }
    }

    /// Creates a list of rows in a given order, with their positions as sort values.
    init(ordered ids: [(value: ColumnValue, ids: [Int64])], isSectioned: Bool) {
        self.isSectioned = isSectioned
        sections = ids.enumerated().map { place, section in
            let keys = section.ids.enumerated().map { item, id in
                SortKey([.integer(Int64(place)), .integer(Int64(item))], descending: [false, false], id: id)
            }
            let range = isSectioned ? keys.first?.section.keys : nil
            return Section(value: section.value, range: range, keys: ChunkedList(keys))
        }
        byID = ChunkedList(sections.flatMap(\.keys).sorted { $0.id < $1.id })
    }

    var count: Int { byID.count }

    /// Returns the key of a row, or `nil` if the row does not belong to the list.
    func key(of id: Int64) -> SortKey? {
        let place = byID.place { $0.id >= id }
        guard place < byID.count else { return nil }
        let key = byID[place]
        return key.id == id ? key : nil
    }

    /// Returns the position of a key that belongs to the list.
    func path(of key: SortKey) -> ResultsPath {
        let section = place(of: key)
        return ResultsPath(section: section, item: sections[section].keys.place { $0 >= key })
    }

    /// Returns the index of the section that contains a key, or the index at which such a section would be inserted.
    private func place(of key: SortKey) -> Int {
        isSectioned ? sections.partitioningIndex { section in section.range.map { key < $0.upperBound } ?? true } : 0
    }

    /// Returns the index of the section with the given range of keys, or `nil` if there is none.
    func section(with range: Range<SortKey>?) -> Int? {
        guard let range else { return isSectioned ? nil : 0 }
        let place = place(of: range.lowerBound)
        return place < sections.count && sections[place].range == range ? place : nil
    }

    /// Updates the list with rows that may have changed.
    ///
    /// A row that does not belong to the list before and afterward is ignored. Each row occurs at most once.
    mutating func apply(_ rows: [Row]) -> IndexDifference {
        let old = self
        var changes: [IndexDifference.Change] = []
        for row in rows {
            let oldKey = key(of: row.id)
            guard oldKey != nil || row.key != nil else { continue }
            changes.append(IndexDifference.Change(id: row.id, old: oldKey, new: row.key))
            guard oldKey != row.key else { continue }
            if let oldKey { remove(oldKey) }
            if let key = row.key { insert(key) }
        }
        return IndexDifference(from: old, to: self, changes)
    }

    /// Replaces all rows.
    ///
    /// - Parameters:
    ///   - keys: The keys, which have different row ids, in any order.
    ///   - isUpdated: Returns whether a row may have changed that belongs to the list before and afterward.
    /// - Returns: The difference.
    mutating func rebuild(_ keys: [SortKey], updating isUpdated: (Int64) -> Bool) -> IndexDifference {
        let old = self
        self = ResultsIndex(keys, isSectioned: isSectioned)
        return difference(from: old, updating: isUpdated)
    }

    /// Returns the difference between another list and this one.
    ///
    /// - Parameters:
    ///   - old: The other list.
    ///   - keepsSections: Whether sections with the same value are the same section.
    ///   - isUpdated: Returns whether a row may have changed that belongs to both lists.
    /// - Returns: The difference.
    func difference(
        from old: ResultsIndex,
        keepsSections: Bool = true,
        updating isUpdated: (Int64) -> Bool
    ) -> IndexDifference {
        var changes: [IndexDifference.Change] = []
        var (oldKeys, newKeys) = (old.byID.makeIterator(), byID.makeIterator())
        var (oldKey, newKey) = (oldKeys.next(), newKeys.next())
        while oldKey != nil || newKey != nil {
            let id = min(oldKey?.id ?? .max, newKey?.id ?? .max)
            let change = IndexDifference.Change(
                id: id,
                old: oldKey.flatMap { $0.id == id ? $0 : nil },
                new: newKey.flatMap { $0.id == id ? $0 : nil }
            )
            if change.old != nil { oldKey = oldKeys.next() }
            if change.new != nil { newKey = newKeys.next() }
            if change.old != change.new || !keepsSections || isUpdated(id) { changes.append(change) }
        }
        return IndexDifference(from: old, to: self, changes, keepsSections: keepsSections)
    }

    private mutating func insert(_ key: SortKey) {
        byID.insert(key, at: byID.place { $0.id >= key.id })
        let section = place(of: key)
        if isSectioned, section == sections.count || !(sections[section].range?.contains(key) ?? true) {
            let (value, range) = key.section
            sections.insert(Section(value: value, range: range, keys: ChunkedList([key])), at: section)
        } else {
            sections[section].keys.insert(key, at: sections[section].keys.place { $0 >= key })
        }
    }

    private mutating func remove(_ key: SortKey) {
        byID.remove(at: byID.place { $0.id >= key.id })
        let path = path(of: key)
        sections[path.section].keys.remove(at: path.item)
        if isSectioned, sections[path.section].keys.isEmpty { sections.remove(at: path.section) }
    }
}
#endif
