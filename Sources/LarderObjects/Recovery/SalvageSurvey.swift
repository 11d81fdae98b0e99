#if Objects
/// A survey of the pages of a corrupt database that finds pages claimed by more than one structure.
///
/// In an intact database, each page is either free, or part of exactly one b-tree, or part of exactly one long value. A page that was
/// overwritten with an older version of itself may refer to pages that have been reused since.
struct SalvageSurvey {
    let freePages: Set<Int>
    /// The number of readable rows of each table.
    private(set) var rowCounts: [Int]
    /// The overflow pages that are also free, part of a b-tree, or part of another value.
    private(set) var shared: Set<Int> = []
    /// Whether more than one structure claims the same page.
    private(set) var hasReplacedPages: Bool

    /// A row with overflow pages.
    private struct LongRow {
        /// The index of the table in ``tables``, or `nil` for Larder's own tables and the schema.
        let table: Int?
        let page: Int
        let cell: BTreePage.Cell
    }

    private let tables: [SalvageTable]
    private let file: PageFile
    private let reader: RecordReader
    /// The pages that are free or part of a b-tree.
    private var used: Set<Int>
    private var long: [LongRow] = []

    /// Creates a survey by reading all b-trees and the free list of a database.
    init(_ tables: [SalvageTable], _ database: StoredDatabase) {
        let file = database.file
        self.tables = tables
        self.file = file
        reader = RecordReader(file: file)
        freePages = database.freePages()
        rowCounts = tables.map { _ in 0 }
        used = freePages
        hasReplacedPages = false
        for index in database.indexes.values { claim(IndexTree(root: index.root, isReal: nil, file).pages) }
        for (place, table) in tables.enumerated() {
            guard let tree = table.stored?.tree else { continue }
            read(tree, place) { table.rows(of: $0, file) }
        }
        for tree in database.trees(except: tables) + [database.schema] { read(tree, nil) { tree.rows(of: $0, file) } }
        findShared(long)
        guard !shared.isEmpty else { return }
        hasReplacedPages = true
        // A row that the indexes refute does not make another row doubtful.
        findShared(tables.indices.flatMap(confirmedRows) + long.filter { $0.table == nil })
        long = []
    }

    /// Returns whether another structure claims an overflow page of a row.
    func contests(_ cell: BTreePage.Cell) -> Bool {
        guard !shared.isEmpty, cell.overflow != nil else { return false }
        return !shared.isDisjoint(with: reader.overflowPages(of: cell))
    }

    private mutating func claim(_ pages: Set<Int>) {
        if !used.isDisjoint(with: pages) { hasReplacedPages = true }
        used.formUnion(pages)
    }

    private mutating func read(
        _ tree: TableTree,
        _ table: Int?,
        _ rows: (TableTree.Leaf) -> (bytes: [UInt8], cells: [BTreePage.Cell])?
    ) {
        var pages = tree.pages.subtracting(tree.leaves.map(\.page))
        for leaf in tree.leaves {
            guard let (bytes, cells) = rows(leaf) else { continue }
            pages.insert(leaf.page)
            if let table { rowCounts[table] += cells.count }
            for cell in cells where cell.overflow != nil {
                // The pages of a broken value reveal nothing about other values.
                if case .unreadable = reader.read(cell, in: bytes) { continue }
                long.append(LongRow(table: table, page: leaf.page, cell: cell))
            }
        }
        claim(pages)
    }

    private mutating func findShared(_ rows: [LongRow]) {
        shared = []
        var used = used
        for row in rows {
            for page in reader.overflowPages(of: row.cell) where !used.insert(page).inserted { shared.insert(page) }
        }
    }

    /// Returns the rows of a table that have overflow pages, except rows that contradict the table's indexes.
    private func confirmedRows(_ place: Int) -> [LongRow] {
        let rows = long.filter { $0.table == place }
        guard !rows.isEmpty else { return [] }
        let evidence = IndexEvidence(tables[place], rows: rowCounts[place], file)
        return rows.filter { row in
            var values: [ColumnValue]?
            if let bytes = file.page(row.page), case .values(let record) = reader.read(row.cell, in: bytes) {
                values = tables[place].shape?.row(record)
            }
            switch evidence.finding(row.cell.key, values, isFree: freePages.contains(row.page)) {
            case .confirmed, .disputed: return true
            case .refuted, .differs: return false
            }
        }
    }
}
#endif
