#if Objects
internal import GRDB
internal import LarderCore

/// A table of the model and the corresponding table in the corrupt database.
struct SalvageTable {
    let name: String
    let isJoin: Bool
    /// The stored table, or `nil` if the table is missing from the corrupt schema.
    let stored: StoredDatabase.Table?
    /// The shape of the stored rows, or `nil` if the stored columns do not match the model.
    let shape: RowShape?
    /// The shape of a newly created table, used to recognize rows whose table is missing from the corrupt schema.
    let newShape: RowShape?
    /// The table of the new database that receives the rows, or `nil` if the model has no corresponding table.
    var target: SalvageTarget?

    static func all(of model: FrozenModel, _ database: StoredDatabase) -> [SalvageTable] {
        let statements = SchemaStatements(model.schema)
        let entities = model.schema.entities.map { ($0.name, statements.table($0)) }
        let joins = statements.joinTables().map { ($0.table.name, $0.statements[0]) }
        let created = Dictionary(entities + joins, uniquingKeysWith: { first, _ in first })
        return model.schema.tableFormats.map { name, formats, isJoin in
            func shape(_ definition: TableDefinition?) -> RowShape? {
                definition.flatMap { RowShape(name, $0, formats: formats, isJoin: isJoin) }
            }
            let stored = database.tables[name]
            return SalvageTable(
                name: name,
                isJoin: isJoin,
                stored: stored,
                shape: shape(stored?.definition),
                newShape: shape(created[name].flatMap { TableDefinition($0) })
            )
        }
    }
}

/// The table of the new database that receives the rows of a salvaged table.
enum SalvageTarget {
    /// A table with the same columns.
    case same
    /// A join table with a new name.
    case join(String)
    /// The table of an entity whose rows are converted to the program's model.
    case converted(RowConversion)

    /// Returns the name and columns of the table for rows of the given shape.
    func table(_ shape: RowShape) -> (name: String, columns: [String]) {
        switch self {
        case .same: (shape.name, shape.names)
        case .join(let name): (name, shape.names)
        case .converted(let conversion): (conversion.table, conversion.names)
        }
    }

    /// Returns a row converted to the table's columns, or `nil` if the model can't represent the row.
    func convert(_ row: [ColumnValue]) -> [ColumnValue]? {
        if case .converted(let conversion) = self { conversion.convert(row) } else { row }
    }
}

/// The phase of a salvage that copies rows, first from the b-tree of each table, then from pages that belong to no table.
struct SalvageCopy {
    private enum Reason {
        static let noPath =
            "The row's page can't be reached from the root of a table, or the row does not fit the table."
        static let contested = "The row's page is part of several tables."
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
    private let freePages: Set<Int>
    private let maximumID: Int64
    private let statements: StatementCache
    private let doubtful: DoubtfulRows
    private let progress: ((StoreProgress) -> Void)?
    private let total: Int
    private var completed = 0
    /// The pages that several tables' b-trees share, keyed by page number, with the tables and their leaves.
    private var claims: [Int: [(table: Int, leaf: TableTree.Leaf)]] = [:]
    /// The pages that are known to belong to a table.
    private var owned: Set<Int>
    /// The range of the possible number of lost rows for each table.
    private(set) var lost: [ClosedRange<Int>]
    /// The number of unreadable rows on pages in doubt.
    private(set) var unreadableRows = 0

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
        freePages = database.freePages()
        maximumID = database.sequence.map { $0 - 1 } ?? .max
        self.statements = statements
        self.doubtful = doubtful
        self.progress = progress
        lost = tables.map { $0.stored == nil ? 0...database.file.capacity : 0...0 }
        let leaves = tables.map { $0.stored?.tree.leaves ?? [] }
        // Page 1 belongs to the schema.
        total = max(file.count - 1, 0) + leaves.map(\.count).reduce(0, +)
        var (seen, shared) = (Set<Int>(), Set<Int>())
        for leaf in leaves.joined() where !seen.insert(leaf.page).inserted { shared.insert(leaf.page) }
        // A leaf that is part of several b-trees belongs to the table whose shape matches its rows.
        let known = Set(tables.map(\.name))
        let others = database.tables.filter { !known.contains($0.key) }.map(\.value.tree.pages)
        owned = others.reduce(database.schemaPages) { $0.union($1) }.subtracting(seen)
        for (table, leaves) in leaves.enumerated() {
            for leaf in leaves where shared.contains(leaf.page) {
                claims[leaf.page, default: []].append((table, leaf))
            }
        }
    }

    private mutating func advance() {
        completed += 1
        if completed % 256 == 0 || completed == total {
            progress?(StoreProgress(completed: completed, total: total))
        }
    }

    /// Copies the rows that are reachable from a table's root page.
    mutating func copy(_ index: Int) throws {
        guard let tree = tables[index].stored?.tree else { return }
        let insert = try insertion(tables[index])
        for gap in tree.gaps { lose(gap, index, tree) }
        for leaf in tree.leaves {
            advance()
            guard owns(leaf, index), let (bytes, cells) = rows(of: leaf, index) else {
                lose(leaf, index, tree)
                continue
            }
            owned.insert(leaf.page)
            for cell in cells { try copy(cell, bytes, index, insert) }
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
        _ bytes: [UInt8],
        _ index: Int,
        _ insert: PreparedStatement?
    ) throws {
        let (values, reason): ([ColumnValue], String?)
        switch reader.read(cell, in: bytes) {
        case .values(let row): (values, reason) = (row, nil)
        case .erased(let row): (values, reason) = (row, Reason.erased)
        case .unreadable: return add(1...1, to: index)
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
        guard reason == nil, let row = shape.row(values), shape.isJoin || cell.key > 0 && cell.key < .max else {
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

    /// Returns the rows of a leaf page, or `nil` if a row can't belong to the table.
    private func rows(of leaf: TableTree.Leaf, _ index: Int) -> (bytes: [UInt8], cells: [BTreePage.Cell])? {
        guard let tree = tables[index].stored?.tree, let (bytes, cells) = tree.rows(of: leaf, file) else { return nil }
        guard let shape = tables[index].shape else { return (bytes, cells) }
        for cell in cells {
            if let types = RecordReader.types(cell, in: bytes), !shape.fits(types) { return nil }
        }
        return (bytes, cells)
    }

    /// Returns whether a leaf page belongs to a table.
    ///
    /// A leaf page that is part of several b-trees belongs to the only table whose shape matches its rows, if any.
    private func owns(_ leaf: TableTree.Leaf, _ index: Int) -> Bool {
        guard let claims = claims[leaf.page] else { return !owned.contains(leaf.page) }
        guard !owned.contains(leaf.page) else { return false }
        return claims.filter { rows(of: $0.leaf, $0.table) != nil }.map(\.table) == [index]
    }

    private mutating func lose(_ part: TableTree.Leaf, _ index: Int, _ tree: TableTree) {
        let rows = tree.lostRows(part, file, maximumKey: tables[index].isJoin ? .max : maximumID)
        add(claims[part.page] == nil ? rows : 0...rows.upperBound, to: index)
    }

    private mutating func add(_ rows: ClosedRange<Int>, to index: Int) {
        let sum = lost[index].adding(rows)
        let upper = min(sum.upperBound, file.capacity)
        lost[index] = min(sum.lowerBound, upper)...upper
    }

    /// Adds the rows on leaf pages that belong to no table to the rows in doubt, except rows on free pages.
    mutating func collectPages() throws {
        guard file.count > 1 else { return }
        for number in 2...file.count {
            advance()
            guard !owned.contains(number), !freePages.contains(number), let bytes = file.page(number),
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
                    reason: claims[number] == nil ? Reason.noPath : Reason.contested,
                    names: isKnown ? shape?.recordNames : nil,
                    values: values
                )
            }
        }
    }
}
#endif
