#if Objects
/// A table of the model, paired with its counterpart in the corrupt database.
struct SalvageTable {
    /// An index of the model that the corrupt database contains.
    struct Index {
        let root: Int
        let columns: [String]
        /// Whether each of ``columns`` has the type REAL, in the same order.
        let isReal: [Bool]
    }

    let name: String
    let isJoin: Bool
    /// The stored table, or `nil` if the table is missing from the corrupt schema.
    let stored: StoredDatabase.Table?
    /// The indexes of an entity's table that the corrupt database contains, or an empty array for a join table.
    let indexes: [Index]
    /// The shape of the stored rows, or `nil` if the stored columns do not match the model.
    let shape: RowShape?
    /// The row shape of a newly created table, used to recognize rows whose table is missing from the corrupt schema.
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
                indexes: isJoin ? [] : model.schema.entity(name).map { indexes(of: $0, database) } ?? [],
                shape: shape(stored?.definition),
                newShape: shape(created[name].flatMap { TableDefinition($0) })
            )
        }
    }

    private static func indexes(of entity: SchemaDescription.Entity, _ database: StoredDatabase) -> [Index] {
        let groups = entity.unique.map { ("unique", $0) } + entity.indexes.map { ("index", $0) }
        return groups.compactMap { kind, columns in
            let stored = database.indexes[SchemaStatements.indexName(entity.name, kind, columns)]
            guard let stored, stored.table == entity.name else { return nil }
            return Index(root: stored.root, columns: columns, isReal: columns.map { entity.column($0)?.type == "REAL" })
        }
    }

    /// Returns the rows of a leaf page, or `nil` if any row does not match the table's columns.
    func rows(of leaf: TableTree.Leaf, _ file: PageFile) -> (bytes: [UInt8], cells: [BTreePage.Cell])? {
        guard let tree = stored?.tree, let (bytes, cells) = tree.rows(of: leaf, file) else { return nil }
        guard let shape else { return (bytes, cells) }
        for cell in cells {
            if let types = RecordReader.types(cell, in: bytes), !shape.fits(types) { return nil }
        }
        return (bytes, cells)
    }
}

/// The table of the new database that receives the rows of a salvaged table.
enum SalvageTarget {
    /// A table with the same name and columns as the salvaged table.
    case same
    /// A join table with a new name, which is the associated value.
    case join(String)
    /// An entity's table in a different model version, to which the rows are converted.
    case converted(RowConversion)

    /// Returns the name and columns of the table for rows of the given shape.
    func table(_ shape: RowShape) -> (name: String, columns: [String]) {
        switch self {
        case .same: (shape.name, shape.names)
        case .join(let name): (name, shape.names)
        case .converted(let conversion): (conversion.table, conversion.names)
        }
    }

    /// Converts a row to the columns of the target table, or returns `nil` if the model can't represent it.
    func convert(_ row: [ColumnValue]) -> [ColumnValue]? {
        if case .converted(let conversion) = self { conversion.convert(row) } else { row }
    }
}
#endif
