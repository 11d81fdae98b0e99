#if Objects
/// What the indexes of a table reveal about its rows.
///
/// Each index lists all objects of its entity a second time. A page that was replaced by an older version of itself or by another page
/// contradicts the indexes, even if it is intact.
struct IndexEvidence {
    private struct Index {
        /// For each indexed column, its place in ``RowShape/names``; or `nil` if the places are unknown.
        let places: [Int]?
        let tree: IndexTree
        /// Whether the index can refute rows.
        ///
        /// An index that lacks most rows is out of date itself.
        let isCredible: Bool
    }

    /// The result of comparing a row with the indexes.
    enum Finding {
        /// The indexes contain the row.
        case confirmed
        /// One index contains the row and another does not.
        case disputed
        /// The indexes do not contain the row.
        case refuted
        /// An index contains the row with a different value.
        case differs
    }

    private let indexes: [Index]

    /// Reads the indexes of a table.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - rows: The number of the table's rows that can be read.
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

    /// Whether an index lists all objects of the entity.
    var isWhole: Bool { indexes.contains { $0.tree.isWhole } }

    /// Whether an intact page does not belong to its place in an index.
    var hasReplacedPages: Bool {
        indexes.contains { $0.tree.hasReplacedPages || $0.tree.isWhole && !$0.isCredible }
    }

    /// Compares a row with the indexes.
    ///
    /// - Parameters:
    ///   - id: The row id.
    ///   - row: The values of the row, in the order of ``RowShape/names``, or `nil` if they are unknown.
    ///   - isFree: Whether the row's page is listed as free, which counts like an index without the row.
    /// - Returns: The finding. A row is refuted if fewer indexes contain the row than lack it.
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

    /// Adds the ids that an index lists and that are not in `found` to `missing`.
    func addMissing(to missing: inout RowIDSet, found: RowIDSet) {
        for index in indexes {
            for entry in index.tree.entries where entry.id > 0 && !found.contains(entry.id) { missing.insert(entry.id) }
        }
    }
}
#endif
