#if Objects
internal import GRDB
internal import LarderCore

/// An operation that copies the readable rows of a corrupt database, including rows on pages that belong to no table.
struct SalvageCopy {
    private enum Reason {
        static let noPath =
            "The row's page can't be reached from the root of a table, or the row does not fit the table."
        static let contested = "The row's page is part of several tables."
        static let shared = "A page of a long value is also free, or part of something else."
        static let refuted = "The indexes of the entity do not contain the row."
        static let differs = "The row differs from its entry in an index."
        static let wrongFolded = "The case-folded search column does not match its attribute."
        static let wrongValue = "A value does not have the format of its property."
        static let noTarget = "The model does not contain the row's entity or relationship."
        static let notConvertible =
            "The row contains a value that the model can't represent, or lacks a value that the model requires."
        static let wrongColumns = "The columns of the row's table do not match the model."
        static let erased = "The last page of a long value contains only zeros, as if it had been erased."
    }

    private let tables: [SalvageTable]
    private let file: PageFile
    private let reader: RecordReader
    private let survey: SalvageSurvey
    private let statements: StatementCache
    private let doubtful: DoubtfulRows
    private let progress: ((StoreProgress) -> Void)?
    private let total: Int
    private var completed = 0
    /// The pages that several tables' b-trees claim, each mapped to the index of the only table that fits the page's rows, if any.
    private let contested: [Int: Int?]
    /// The pages that are known to belong to a table.
    private var owned: Set<Int>
    /// The data lost from each table, in the order of `tables`.
    private var losses: [SalvageLosses]
    /// The number of unreadable rows on pages that are not known to belong to a table.
    private(set) var unreadableRows = 0
    /// Whether any pages of the corrupt database contradict each other.
    var hasReplacedPages: Bool

    init(
        _ tables: [SalvageTable],
        _ database: StoredDatabase,
        _ statements: StatementCache,
        _ doubtful: DoubtfulRows,
        _ progress: ((StoreProgress) -> Void)?
    ) {
        self.tables = tables
        file = database.file
        reader = RecordReader(file: file)
        survey = SalvageSurvey(tables, database)
        hasReplacedPages = survey.hasReplacedPages || database.schema.hasReplacedPages
        self.statements = statements
        self.doubtful = doubtful
        self.progress = progress
        losses = tables.map { SalvageLosses($0, database) }
        let leaves = tables.map { $0.stored?.tree.leaves ?? [] }
        // Page 1 belongs to the schema.
        total = max(file.count - 1, 0) + leaves.map(\.count).reduce(0, +)
        var (seen, shared) = (Set<Int>(), Set<Int>())
        for leaf in leaves.joined() where !seen.insert(leaf.page).inserted { shared.insert(leaf.page) }
        owned = database.trees(except: tables).reduce(database.schema.pages) { $0.union($1.pages) }.subtracting(seen)
        var fitting = Dictionary(uniqueKeysWithValues: shared.map { ($0, [Int]()) })
        for (table, leaves) in leaves.enumerated() {
            for leaf in leaves where shared.contains(leaf.page) && tables[table].rows(of: leaf, file) != nil {
                fitting[leaf.page]?.append(table)
            }
        }
        contested = fitting.mapValues { $0.count == 1 ? $0[0] : nil }
    }

    private mutating func advance() {
        completed += 1
        if completed % 256 == 0 || completed == total {
            progress?(StoreProgress(completed: completed, total: total))
        }
    }

    /// Copies the rows that are reachable from a table's root page.
    mutating func copy(_ index: Int) throws {
        let table = tables[index]
        let evidence = IndexEvidence(table, rows: survey.rowCounts[index], file)
        defer { losses[index].finish(evidence) }
        if evidence.hasReplacedPages { hasReplacedPages = true }
        guard let tree = table.stored?.tree else { return }
        if tree.hasReplacedPages { hasReplacedPages = true }
        let insert = try insertion(table)
        for gap in tree.gaps { losses[index].add(gap, isContested: false) }
        for leaf in tree.leaves {
            advance()
            guard owns(leaf, index), let (bytes, cells) = table.rows(of: leaf, file) else {
                losses[index].add(leaf, isContested: contested[leaf.page] != nil)
                if let bytes = file.page(leaf.page), file.isTreePage(bytes, number: leaf.page) {
                    hasReplacedPages = true
                }
                continue
            }
            owned.insert(leaf.page)
            losses[index].addLeaf(atDepth: leaf.depth)
            for cell in cells {
                losses[index].addRow(cell.key)
                try copy(cell, leaf.page, bytes, index, evidence, insert)
            }
        }
    }

    private func insertion(_ table: SalvageTable) throws -> PreparedStatement? {
        guard let shape = table.shape, let (name, columns) = table.target?.table(shape) else { return nil }
        let names = (shape.isJoin ? [] : [ResolvedEntity.quotedKeyColumn]) + columns.map(\.quotedIdentifier)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        // Two pages may contain the same link, but never the same key.
        let verb = shape.isJoin ? "INSERT OR IGNORE INTO" : "INSERT INTO"
        return try PreparedStatement(
            "\(verb) \(name.quotedIdentifier) (\(names.joined(separator: ", "))) VALUES (\(marks))",
            on: statements.database
        )
    }

    private mutating func copy(
        _ cell: BTreePage.Cell,
        _ page: Int,
        _ bytes: [UInt8],
        _ index: Int,
        _ evidence: IndexEvidence,
        _ insert: PreparedStatement?
    ) throws {
        var (values, reason): ([ColumnValue], String?)
        switch reader.read(cell, in: bytes) {
        case .values(let row): (values, reason) = (row, nil)
        case .erased(let row): (values, reason) = (row, Reason.erased)
        case .unreadable: return losses[index].addUnreadableRow()
        }
        let table = tables[index]
        guard let shape = table.shape else {
            return try doubtful.add(
                entity: table.name,
                id: cell.key,
                reason: Reason.wrongColumns,
                names: table.stored?.definition?.columns.map(\.name),
                values: values
            )
        }
        let row = shape.row(values)
        if reason == nil { reason = contradiction(cell, page, row, shape, evidence) }
        guard reason == nil, let row, shape.isJoin || cell.key > 0 && cell.key < .max else {
            return try doubtful.add(
                entity: table.name,
                id: cell.key,
                reason: reason ?? Reason.wrongValue,
                names: shape.recordNames,
                values: values
            )
        }
        guard let insert, let converted = table.target?.convert(row) else {
            return try doubtful.add(
                entity: table.name,
                id: cell.key,
                reason: insert == nil ? Reason.noTarget : Reason.notConvertible,
                names: shape.names,
                values: row
            )
        }
        insert.bind(shape.isJoin ? converted : [.integer(cell.key)] + converted)
        try insert.run()
    }

    /// Returns the reason why a row contradicts other pages, or `nil` if there is no contradiction.
    private mutating func contradiction(
        _ cell: BTreePage.Cell,
        _ page: Int,
        _ row: [ColumnValue]?,
        _ shape: RowShape,
        _ evidence: IndexEvidence
    ) -> String? {
        if survey.contests(cell) { return Reason.shared }
        // Bytes of another value may be inside a long value only.
        if cell.overflow != nil, let row, !shape.hasFoldedValues(row) { return Reason.wrongFolded }
        guard !shape.isJoin else { return nil }
        let finding = evidence.finding(cell.key, row, isFree: survey.freePages.contains(page))
        if finding != .confirmed { hasReplacedPages = true }
        return switch finding {
        case .confirmed, .disputed: nil
        case .refuted: Reason.refuted
        case .differs: Reason.differs
        }
    }

    /// Returns whether a leaf page belongs to a table.
    private func owns(_ leaf: TableTree.Leaf, _ index: Int) -> Bool {
        !owned.contains(leaf.page) && contested[leaf.page].map { $0 == index } ?? true
    }

    /// Records references to objects that were not found.
    ///
    /// - Parameter ids: The ids of the missing objects, keyed by the entity's name in the new database.
    mutating func addReferences(_ ids: [String: [Int64]]) {
        for (index, table) in tables.enumerated() where !table.isJoin {
            let name = table.shape.flatMap { table.target?.table($0).name } ?? table.name
            for id in ids[name] ?? [] { losses[index].addReference(id) }
        }
    }

    /// Returns the minimum and maximum number of rows lost from each table.
    mutating func lost() -> [ClosedRange<Int>] {
        if losses.contains(where: \.isContradictory) { hasReplacedPages = true }
        return losses.map { $0.lost(isExact: !hasReplacedPages) }
    }

    /// Records the rows on leaf pages that belong to no table as rows in doubt, except rows on free pages.
    mutating func collectPages() throws {
        guard file.count > 1 else { return }
        for number in 2...file.count {
            advance()
            guard !owned.contains(number), !survey.freePages.contains(number), let bytes = file.page(number),
                bytes[0] == BTreePage.leafType,
                case .leaf(let cells) = BTreePage(bytes, number: number, usableSize: file.usableSize)
            else { continue }
            var rows: [(id: Int64, values: [ColumnValue])] = []
            for cell in cells {
                switch reader.read(cell, in: bytes) {
                case .values(let values), .erased(let values): rows.append((cell.key, values))
                case .unreadable: unreadableRows += 1
                }
            }
            let types = cells.compactMap { RecordReader.types($0, in: bytes) }
            let fitting = tables.compactMap { $0.shape ?? $0.newShape }.filter { shape in
                types.allSatisfy(shape.fits) && rows.allSatisfy { shape.row($0.values) != nil }
            }
            let shape = fitting.count == 1 ? fitting.first : nil
            // If the table is missing from the schema, the order of its columns is unknown.
            let isKnown = shape.map { shape in tables.contains { $0.name == shape.name && $0.shape != nil } } ?? false
            for (id, values) in rows {
                try doubtful.add(
                    entity: shape?.name,
                    id: id,
                    page: number,
                    reason: contested[number] == nil ? Reason.noPath : Reason.contested,
                    names: isKnown ? shape?.recordNames : nil,
                    values: values
                )
            }
        }
    }
}
#endif
