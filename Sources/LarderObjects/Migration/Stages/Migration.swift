#if Objects
internal import GRDB

/// The context of a running ``MigrationStage``, with the objects before and after the migration step.
///
/// *Old* objects have the entities and properties of the stage's first version, and never change. *New* objects have the entities and
/// properties of the second version. If an entity exists in both versions, each old object has a new object with the same id and
/// automatically migrated properties. Entities and properties are identified by name, so the program doesn't need the classes of either
/// version.
///
/// Objects are read in batches to limit memory use. If a call fails, the stage fails even if its closure catches the error. After the
/// stage ends, every call throws ``ObjectError`` with code `expired`.
public final class Migration {
    /// The model version before the stage.
    public var fromVersion: Int { step.from.version }
    /// The model version after the stage.
    public var toVersion: Int { step.to.version }

    let step: InferredStep
    let tables: StepStatements
    let statements: StatementCache
    let model: ResolvedModel?
    let functions: ConversionFunctions
    private let stage: MigrationStage
    private let control: MigrationControl
    private let oldTables: [String: RecordTable]
    let newTables: [String: RecordTable]
    /// The names of the join tables that were copied for the new objects.
    var copiedJoins: Set<String> = []
    /// The names of the temporary indexes, keyed by table and column.
    var lookups: [String: String] = [:]
    /// The names of the entities whose objects the stage has read.
    private(set) var touched: Set<String> = []
    /// The next unused object id, or `nil` if the stage has not inserted an object.
    var nextID: Int64?
    var hasRemovals = false
    var hasMerges = false
    /// The number of deleted objects, keyed by entity name.
    var removed: [String: Int] = [:]
    private var conversions: [String: ColumnConversion] = [:]
    private(set) var failure: (any Error)?
    private(set) var isOver = false
    /// The id of the object that the stage is processing, for use in error messages.
    private var current: ObjectID?

    init(
        _ step: InferredStep,
        _ tables: StepStatements,
        _ stage: MigrationStage,
        model: ResolvedModel?,
        _ functions: ConversionFunctions,
        _ database: Database,
        _ control: MigrationControl
    ) {
        self.step = step
        self.tables = tables
        self.stage = stage
        self.model = model
        self.functions = functions
        // The migration does not share statements, because the program may retain the migration.
        statements = StatementCache(database)
        self.control = control
        oldTables = Dictionary(
            step.from.schema.entities.map { entity in
                (
                    entity.name,
                    RecordTable(entity, of: step.from, isNew: false, named: tables.tables.name(of: entity.name))
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
        newTables = Dictionary(
            step.entities.map { entity in
                let isRebuilt = entity.work == .rebuild
                let name = isRebuilt ? StepStatements.rebuilt(entity.new.name) : entity.new.name
                let isWritable = isRebuilt || entity.work == .create
                return (
                    entity.new.name,
                    RecordTable(
                        entity.new,
                        of: step.to,
                        isNew: true,
                        named: name,
                        isWritable: isWritable,
                        attributes: model?.entity(named: entity.new.name)?.description.attributes ?? []
                    )
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    // MARK: Reading

    /// Calls `body` with each object of an entity as stored before the migration step, in id order.
    ///
    /// - Parameters:
    ///   - entity: The entity's name in the old or new version.
    ///   - body: A closure that receives an object.
    /// - Throws: An error thrown by `body`, or ``ObjectError`` if there is no such entity or a read fails.
    public func forEach(_ entity: String, _ body: (MigrationRecord) throws -> Void) throws {
        let table = try oldTable(entity)
        try eachRow(of: table) { try body(MigrationRecord($0, self)) }
    }

    /// Calls `body` with each object of an entity before and after the automatic migration, in id order.
    ///
    /// Deleted objects are omitted.
    ///
    /// - Parameters:
    ///   - entity: The entity's name in the new or old version.
    ///   - body: A closure that receives the old object and the migrated object, which it may change.
    /// - Throws: An error thrown by `body`, or ``ObjectError`` if the entity is not in both versions, or if a read or write fails.
    public func migrate(
        _ entity: String,
        _ body: (_ old: MigrationRecord, _ new: NewRecord) throws -> Void
    ) throws {
        let new = try newTable(entity)
        guard let name = step.match.entities[new.entity.name] else {
            throw ObjectError(
                .invalidModel,
                "\(new.entity.name) was added in version \(toVersion), so there are no objects to migrate. Insert objects instead."
            )
        }
        let old = try oldTable(name)
        try eachRow(of: old) { row in
            guard try !isRemoved(row.id) else { return }
            try body(MigrationRecord(row, self), NewRecord(row.id, new, self))
        }
    }

    /// Calls `body` with each migrated or inserted object of an entity, in id order.
    ///
    /// The iteration omits deleted objects, and includes objects that `body` inserts.
    ///
    /// - Parameters:
    ///   - entity: The entity's name in the new or old version.
    ///   - body: A closure that receives an object and may change or delete it.
    /// - Throws: An error thrown by `body`, or ``ObjectError`` if there is no such entity, or if a read or write fails.
    public func forEachNew(_ entity: String, _ body: (NewRecord) throws -> Void) throws {
        let table = try newTable(entity)
        try eachRow(of: table) { row in
            guard try !isRemoved(row.id) else { return }
            try body(NewRecord(row.id, table, self))
        }
    }

    /// Returns the object with an id as stored before the migration step.
    ///
    /// - Parameter id: The object's id, with the entity's name in the old or new version.
    /// - Returns: The object, or `nil` if no object had this id before the step.
    /// - Throws: ``ObjectError`` if neither version has the entity, or if the read fails.
    public func old(_ id: ObjectID) throws -> MigrationRecord? {
        let table = try oldTable(id.entityName)
        return try row(id.rowID, of: table).map { MigrationRecord($0, self) }
    }

    /// Returns the migrated or inserted object with an id.
    ///
    /// - Parameter id: The object's id, with the entity's name in the new or old version.
    /// - Returns: The object, or `nil` if no object has this id, or if the stage deleted the object or merged it into another object.
    /// - Throws: ``ObjectError`` if neither version has the entity, or if the read fails.
    public func new(_ id: ObjectID) throws -> NewRecord? {
        let table = try newTable(id.entityName)
        return try newRecord(id.rowID, of: table)
    }

    /// Returns the number of an entity's migrated and inserted objects, excluding deleted objects.
    ///
    /// - Parameter entity: The entity's name in the new or old version.
    /// - Returns: The number of objects.
    /// - Throws: ``ObjectError`` if there is no such entity or the read fails.
    public func count(_ entity: String) throws -> Int {
        let table = try newTable(entity)
        return try perform {
            let condition = hasRemovals ? " WHERE objectID NOT IN (SELECT id FROM \(Self.removals))" : ""
            let sql = "SELECT count(*) FROM \(table.name.quotedIdentifier)\(condition)"
            return Int(try statements.integers(sql).first ?? 0)
        }
    }

    // MARK: Internals

    /// Runs the stage's closure.
    func run() throws {
        do {
            try stage.body(self)
            try failure.map { throw $0 }
            try control.check()
        } catch let error as CancellationError {
            throw error
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw failed(error)
        }
        // SQLite rolls back the transaction automatically if the disk is full.
        guard statements.database.isInsideTransaction else {
            throw DatabaseError(
                resultCode: .SQLITE_ABORT,
                message: "SQLite rolled back the migration's transaction before the stage was complete."
            )
        }
    }

    private func failed(_ error: any Error) -> ObjectError {
        let place = current.map { " in \($0)" } ?? ""
        return ObjectError(
            .migrationFailed,
            "The stage from \(fromVersion) to \(toVersion) failed\(place), so the migration was rolled back. "
                + "Correct the stage, then open the database again.",
            underlying: error
        )
    }

    /// Ends the stage and releases its prepared statements.
    func end() {
        isOver = true
        statements.removeAll()
        for table in newTables.values { table.removeStatements() }
    }

    /// Records the error with which the stage fails, unless an earlier error is already recorded.
    func note(_ error: any Error) { failure = failure ?? error }

    /// Performs a database operation and records any error, so that the stage fails even if its closure catches the error.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isOver else {
            throw ObjectError(
                .expired,
                "The migration was used after its stage ended. Use it only inside the closure of the stage."
            )
        }
        // After a failure, SQLite may have rolled back the transaction, so a later write would be committed separately.
        try failure.map { throw $0 }
        do { return try body() } catch {
            note(error)
            throw error
        }
    }

    /// The maximum number of objects and the maximum number of bytes in a batch.
    private static let (chunk, bytes) = (1_000, 1 << 20)

    /// Calls `body` with each row of a table, in id order.
    ///
    /// The closure may modify the table.
    private func eachRow(of table: RecordTable, _ body: (RecordRow) throws -> Void) throws {
        let outer = current
        var last = Int64.min
        while true {
            let rows = try perform {
                try control.check()
                // Copying the rows changes the name of the table.
                let sql =
                    "SELECT \(table.selection) FROM \(table.name.quotedIdentifier) WHERE objectID > ? ORDER BY objectID "
                    + "LIMIT \(Self.chunk)"
                return try read(table, sql, [.integer(last)], bytes: Self.bytes)
            }
            guard let end = rows.last else { break }
            for row in rows {
                current = ObjectID(entityName: table.entity.name, rowID: row.id)
                try body(row)
                try failure.map { throw $0 }
            }
            last = end.id
        }
        current = outer
    }

    private func read(
        _ table: RecordTable,
        _ sql: String,
        _ values: [ColumnValue],
        bytes: Int = .max
    ) throws -> [RecordRow] {
        let statement = try statements.statement(sql)
        statement.bind(values)
        let count = table.entity.columns.count
        var packer = RowPacker(columns: count, group: nil)
        var rows: [RecordRow] = []
        var size = 0
        while try statement.step() {
            let place = statement.pack(&packer, from: 1, count: count)
            rows.append(RecordRow(id: statement.integer(at: 0), table: table, place: place))
            size += count == 0 ? 8 : place.row.size(columns: count)
            if size > bytes {
                statement.reset()
                break
            }
        }
        return rows
    }

    func row(_ id: Int64, of table: RecordTable) throws -> RecordRow? {
        try perform {
            let sql = "SELECT \(table.selection) FROM \(table.name.quotedIdentifier) WHERE objectID = ?"
            return try read(table, sql, [.integer(id)]).first
        }
    }

    func newRecord(_ id: Int64, of table: RecordTable) throws -> NewRecord? {
        guard try !isRemoved(id), try row(id, of: table) != nil else { return nil }
        return NewRecord(id, table, self)
    }

    /// Returns the table that contains an entity's objects before the migration step.
    func oldTable(_ name: String) throws -> RecordTable {
        let table = oldTables[name] ?? step.match.entities[name].flatMap { oldTables[$0] }
        guard let table else { throw unknown(name, fromVersion, step.from.schema) }
        touched.insert(step.match.entities.first { $0.value == table.entity.name }?.key ?? table.entity.name)
        return table
    }

    /// Returns the table that contains an entity's migrated and inserted objects.
    func newTable(_ name: String) throws -> RecordTable {
        let table =
            newTables[name] ?? step.match.entities.first { $0.value == name }.flatMap { newTables[$0.key] }
        guard let table else { throw unknown(name, toVersion, step.to.schema) }
        touched.insert(table.entity.name)
        return table
    }

    /// Records and returns the error for an unknown entity.
    private func unknown(_ name: String, _ version: Int, _ schema: SchemaDescription) -> ObjectError {
        let error = ObjectError(
            .invalidModel,
            "There is no entity \"\(name)\" in version \(version). Use one of \(schema.entities.map(\.name).joined(separator: ", "))."
        )
        note(error)
        return error
    }

    func conversion(from: String, to: String) -> ColumnConversion {
        let key = from + " " + to
        if let known = conversions[key] { return known }
        let conversion = ColumnConversion(from: from, to: to)
        conversions[key] = conversion
        return conversion
    }

    /// Returns the loss, marked as allowed if the stage has read objects of the affected entity.
    func allowing(_ loss: MigrationLoss) -> MigrationLoss {
        touched.contains(loss.entity) ? loss.allowed : loss
    }
}

extension PackedRow {
    /// Returns the size in bytes of a row that has the given number of columns.
    func size(columns: Int) -> Int {
        let (_, last) = content(of: columns - 1)
        return last.baseAddress.map { $0 + last.count - start } ?? 0
    }
}

/// A row of an entity's table, from before or after the migration step.
struct RecordRow {
    let id: Int64
    let table: RecordTable
    let place: RowPlace
}
#endif
