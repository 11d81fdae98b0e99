#if Objects
/// The schema of a possibly corrupt database, read from the pages without SQLite.
struct StoredDatabase {
    struct Table {
        /// The columns of the table, or `nil` if Larder did not write the `CREATE TABLE` statement.
        let definition: TableDefinition?
        let tree: TableTree
    }

    struct Index {
        /// The name of the indexed table.
        let table: String
        let root: Int
    }

    let file: PageFile
    let schema: TableTree
    /// All tables in the schema, including those of SQLite and Larder.
    let tables: [String: Table]
    /// All indexes in the schema.
    let indexes: [String: Index]
    /// Whether the entire schema can be read.
    let isSchemaWhole: Bool
    /// The model description, or `nil` if the description is lost.
    private(set) var frozen: FrozenModel?

    init(_ file: PageFile) {
        self.file = file
        schema = TableTree(root: 1, file)
        var isWhole = schema.gaps.isEmpty
        var tables: [String: Table] = [:]
        var indexes: [String: Index] = [:]
        Self.forEachRow(of: schema, file, unreadable: { isWhole = false }) { _, values in
            guard values.count == 5, case .text(let kind) = values[0], case .text(let name) = values[1],
                case .text(let table) = values[2], case .integer(let root) = values[3], root > 1
            else { return }
            if kind == "index" { indexes[name] = Index(table: table, root: Int(clamping: root)) }
            guard kind == "table", case .text(let sql) = values[4] else { return }
            let definition = TableDefinition(sql)
            tables[name] = Table(definition: definition, tree: TableTree(root: Int(clamping: root), file))
        }
        self.tables = tables
        self.indexes = indexes
        isSchemaWhole = isWhole
        frozen =
            rows(of: "larder_model").compactMap { _, values -> FrozenModel? in
                guard values.count == 3, case .integer(let version) = values[0],
                    case .text(let fingerprint) = values[1],
                    case .text(let text) = values[2],
                    let model = try? FrozenModel(version: Int(version), descriptionText: text),
                    model.fingerprint == fingerprint
                else { return nil }
                return model
            }.first
    }

    /// The format version of Larder's own tables.
    var format: Int64 {
        guard let header = file.header else { return StoredSchema.formatVersion }
        return Int64(header.uint32(at: 60))
    }

    /// Whether the file header identifies a LarderObjects database.
    var isObjectStorage: Bool { file.header.map { Int64($0.uint32(at: 68)) == StoredSchema.applicationID } ?? false }

    /// The next object id to reserve, or `nil` if the sequence is lost.
    var sequence: Int64? {
        guard let values = rows(of: "larder_sequence").first?.values, values.count == 1 else { return nil }
        return values[0].integerValue
    }

    /// Returns the b-trees of all tables except those of the model.
    func trees(except tables: [SalvageTable]) -> [TableTree] {
        let names = Set(tables.map(\.name))
        return self.tables.filter { !names.contains($0.key) }.map(\.value.tree)
    }

    /// Calls `body` with each row that can be read from a table.
    func forEachRow(of table: String, _ body: ([ColumnValue]) throws -> Void) rethrows {
        guard let tree = tables[table]?.tree else { return }
        try Self.forEachRow(of: tree, file, unreadable: {}) { try body($1) }
    }

    /// Returns the readable rows of a small table.
    func rows(of table: String) -> [(key: Int64, values: [ColumnValue])] {
        guard let tree = tables[table]?.tree else { return [] }
        var rows: [(key: Int64, values: [ColumnValue])] = []
        Self.forEachRow(of: tree, file, unreadable: {}) { rows.append(($0, $1)) }
        return rows
    }

    private static func forEachRow(
        of tree: TableTree,
        _ file: PageFile,
        unreadable: () -> Void,
        _ body: (Int64, [ColumnValue]) throws -> Void
    ) rethrows {
        let reader = RecordReader(file: file)
        for leaf in tree.leaves {
            guard let (bytes, cells) = tree.rows(of: leaf, file) else {
                unreadable()
                continue
            }
            for cell in cells {
                guard case .values(let values) = reader.read(cell, in: bytes) else {
                    unreadable()
                    continue
                }
                try body(cell.key, values)
            }
        }
    }

    /// Returns the numbers of the free pages in the readable part of the free list.
    func freePages() -> Set<Int> {
        var pages: Set<Int> = []
        guard let header = file.header else { return pages }
        let all = 2...max(2, file.count, header.uint32(at: 28))
        var trunk = header.uint32(at: 32)
        while trunk != 0, pages.insert(trunk).inserted, let bytes = file.page(trunk) {
            let count = bytes.uint32(at: 4)
            guard count <= file.usableSize / 4 - 2 else { break }
            let numbers = (0..<count).map { bytes.uint32(at: 8 + 4 * $0) }
            // A page that lists a page that does not exist, or lists a page again, is not a part of the free list.
            guard numbers.allSatisfy(all.contains), Set(numbers).count == count, pages.isDisjoint(with: numbers)
            else { break }
            pages.formUnion(numbers)
            trunk = bytes.uint32(at: 0)
        }
        return pages
    }
}
#endif
