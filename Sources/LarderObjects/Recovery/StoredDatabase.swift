#if Objects
/// The schema of a possibly corrupt database, read from the pages without SQLite.
struct StoredDatabase {
    struct Table {
        /// The columns of the table, or `nil` if Larder did not write the `CREATE TABLE` statement.
        let definition: TableDefinition?
        let tree: TableTree
    }

    let file: PageFile
    /// All tables in the schema, including those of SQLite and Larder.
    let tables: [String: Table]
    /// The numbers of the pages that contain the schema table.
    let schemaPages: Set<Int>
    /// Whether the entire schema can be read.
    let isSchemaWhole: Bool
    /// The model description, or `nil` if the description is lost.
    private(set) var frozen: FrozenModel?

    init(_ file: PageFile) {
        self.file = file
        let schema = TableTree(root: 1, file)
        schemaPages = schema.pages
        var isWhole = schema.gaps.isEmpty
        var tables: [String: Table] = [:]
        Self.forEachRow(of: schema, file, unreadable: { isWhole = false }) { _, values in
            guard values.count == 5, case .text("table") = values[0], case .text(let name) = values[1],
                case .integer(let root) = values[3], case .text(let sql) = values[4], root > 1
            else { return }
            let definition = TableDefinition(sql)
            tables[name] = Table(definition: definition, tree: TableTree(root: Int(clamping: root), file))
        }
        self.tables = tables
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
        var trunk = file.header?.uint32(at: 32) ?? 0
        while trunk != 0, pages.insert(trunk).inserted, let bytes = file.page(trunk) {
            let count = min(bytes.uint32(at: 4), file.usableSize / 4 - 2)
            for index in 0..<count { pages.insert(bytes.uint32(at: 8 + 4 * index)) }
            trunk = bytes.uint32(at: 0)
        }
        return pages
    }
}
#endif
