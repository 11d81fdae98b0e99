#if Objects
internal import LarderCore

/// An estimate of the number of rows that a salvage lost from one table.
struct SalvageLosses {
    private let file: PageFile
    private let isJoin: Bool
    private let isMissing: Bool
    /// The largest object id reserved by the database's id sequence, or `Int64.max` if the sequence is lost.
    private let reserved: Int64
    /// The subtrees of the table's b-tree that can't be read.
    ///
    /// `isContested` is `true` if another table also claims the subtree's root page.
    private var gaps: [(part: TableTree.Leaf, isContested: Bool)] = []
    private var depths: Set<Int> = []
    private var unreadable = 0
    /// The ids of the rows in readable pages of the table's b-tree.
    private var found = RowIDSet()
    private var largest: Int64 = 0
    /// The ids that occur in indexes or references but for which no row was found.
    private var missing = RowIDSet()
    private var hasWholeIndex = false

    init(_ table: SalvageTable, _ database: StoredDatabase) {
        file = database.file
        isJoin = table.isJoin
        isMissing = table.stored == nil
        reserved = database.sequence.map { $0 - 1 } ?? .max
    }

    mutating func add(_ part: TableTree.Leaf, isContested: Bool) { gaps.append((part, isContested)) }

    mutating func addLeaf(atDepth depth: Int) { depths.insert(depth) }

    mutating func addRow(_ id: Int64) {
        guard !isJoin else { return }
        found.insert(id)
        largest = max(largest, id)
    }

    /// Counts a row whose record can't be read.
    mutating func addUnreadableRow() { unreadable += 1 }

    mutating func addReference(_ id: Int64) { if id > 0, !found.contains(id) { missing.insert(id) } }

    /// Adds to ``missing`` the ids that the table's indexes contain but ``found`` doesn't.
    mutating func finish(_ evidence: IndexEvidence) {
        evidence.addMissing(to: &missing, found: found)
        hasWholeIndex = evidence.isWhole
    }

    /// Whether the table's pages are inconsistent with each other, with the table's indexes or with references to its objects.
    var isContradictory: Bool {
        depths.count > 1 || !isMissing && missingInGaps().reduce(0, +) < missing.count
    }

    /// Returns the minimum and the maximum number of lost rows.
    ///
    /// - Parameter isExact: Whether to derive an exact number from an index, if one can be read completely.
    /// - Returns: The range of the number of rows.
    func lost(isExact: Bool) -> ClosedRange<Int> {
        let known = missing.count + unreadable
        if isExact, hasWholeIndex { return known...known }
        if isMissing { return min(known, file.capacity)...file.capacity }
        // A sequence that is older than the rows says nothing about the largest id.
        let maximumKey = isJoin || largest > reserved ? .max : reserved
        // All leaves of an intact tree have the same depth.
        let leafDepth = depths.count == 1 ? depths.first : nil
        let inside = missingInGaps()
        var sum = unreadable...unreadable + missing.count - inside.reduce(0, +)
        for ((part, isContested), inside) in zip(gaps, inside) {
            let rows = TableTree.lostRows(part, file, maximumKey: maximumKey, isLeaf: part.depth == leafDepth)
            let least = max(isContested ? 0 : rows.lowerBound, inside)
            sum = sum.adding(least...max(rows.upperBound, least))
        }
        let upper = min(sum.upperBound, file.capacity)
        return min(sum.lowerBound, upper)...upper
    }

    /// Returns the number of missing ids in the id range of each gap.
    private func missingInGaps() -> [Int] {
        let ids = missing.sorted()
        func count(upTo key: Int64) -> Int { ids.partitioningIndex { $0 > key } }
        return gaps.map { count(upTo: $0.part.keys.upTo) - count(upTo: $0.part.keys.above) }
    }
}
#endif
