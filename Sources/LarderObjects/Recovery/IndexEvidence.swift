#if Objects
/// The evidence that a table's indexes provide about the table's rows.
///
/// Each index contains an entry for every object of the entity. A page that was replaced by an older version of itself or by another page
/// contradicts the indexes, even if the page is intact.
struct IndexEvidence {
    private struct Index {
        /// The positions of the indexed columns in ``RowShape/names``, or `nil` if they are unknown.
        let places: [Int]?
        let tree: IndexTree
        /// Whether the index is complete enough to refute rows.
        ///
        /// An index that lacks most rows is considered outdated.
        let isCredible: Bool
    }

    /// The result of comparing a row with the indexes.
    enum Finding {
        /// No index contradicts the row.
        case confirmed
        /// Some indexes lack the row, but at least as many contain it.
        case disputed
        /// More indexes lack the row than contain it.
        case refuted
        /// An index contains the row with different values.
        case differs
    }

    private let indexes: [Index]

    /// Reads the indexes of a table.
    ///
    /// - Parameters:
    ///   - table: The table whose indexes to read.
    ///   - rows: The number of readable rows in the table.
    ///   - file: The pages of the database.
    init(_ table: SalvageTable, rows: Int, _ file: PageFile) {
        let names = table.shape?.names
        indexes = table.indexes.map { index in
            let places = names.flatMap { names in
                let places = index.columns.compactMap { name in names.firstIndex(of: name) }
                return places.count == index.columns.count ? places : nil
            }
            let tree = IndexTree(root: index.root, isReal: index.isReal, file)
            return Index(places: places, tree: tree, isCredible: tree.isWhole && tree.entries.count * 2 >= rows)
        }
    }

    /// Whether at least one index lists all objects of the entity.
    var isWhole: Bool { indexes.contains { $0.tree.isWhole } }

    /// Whether the indexes show that a page was replaced by an older version of itself or by another page.
    var hasReplacedPages: Bool {
        indexes.contains { $0.tree.hasReplacedPages || $0.tree.isWhole && !$0.isCredible }
    }

    /// Compares a row with the indexes.
    ///
    /// - Parameters:
    ///   - id: The row id.
    ///   - row: The values of the row, in the order of ``RowShape/names``, or `nil` if they are unknown.
    ///   - isFree: Whether the row's page is listed as free, which is treated like an index that lacks the row.
    /// - Returns: The result of the comparison.
    func finding(_ id: Int64, _ row: [ColumnValue]?, isFree: Bool = false) -> Finding {
        var (with, without) = (0, isFree ? 1 : 0)
        for index in indexes {
            let entries = index.tree.entries(of: id)
            if entries.isEmpty {
                if index.isCredible { without += 1 }
                continue
            }
            with += 1
            guard index.isCredible, let row, let places = index.places else { continue }
            let digest = IndexTree.digest(places.lazy.map { row[$0] })
            if !entries.contains(where: { $0.digest == digest }) { return .differs }
        }
        if without == 0 { return .confirmed }
        return without > with ? .refuted : .disputed
    }

    /// Adds to `missing` all ids that an index contains and `found` does not.
    func addMissing(to missing: inout RowIDSet, found: RowIDSet) {
        for index in indexes {
            for entry in index.tree.entries where entry.id > 0 && !found.contains(entry.id) { missing.insert(entry.id) }
        }
    }
}
#endif
