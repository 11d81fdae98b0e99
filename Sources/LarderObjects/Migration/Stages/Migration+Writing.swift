#if Objects
extension Migration {
    /// The temporary table that holds the ids of deleted and merged objects.
    static let removals = "temp.larder_removals"
    /// The temporary table that holds the ids of merged objects and their survivors.
    static let merges = "temp.larder_merges"

    /// Inserts an object of the new model version with the default values of its attributes.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity in the new version.
    ///   - fill: A closure that sets the properties of the object.
    /// - Returns: The object's id, which was never used before in the database.
    /// - Throws: An error thrown by `fill`, or ``ObjectError`` if there is no such entity or the write fails.
    @discardableResult
    public func insert(_ entity: String, _ fill: (NewRecord) throws -> Void = { _ in }) throws -> ObjectID {
        let table = try newTable(entity)
        let id = try perform {
            try makeWritable(table)
            let id = try nextID ?? statements.integers("SELECT next FROM larder_sequence").first ?? 1
            let (next, isOverflow) = id.addingReportingOverflow(1)
            guard !isOverflow else {
                throw ObjectError(
                    .database,
                    "The object ids are exhausted because a row has an id near the maximum. Insert the objects into a new database."
                )
            }
            nextID = next
            var columns = [ResolvedEntity.quotedKeyColumn]
            var values: [ColumnValue] = [.integer(id)]
            for column in table.entity.attributes {
                let value: ColumnValue
                switch step.to.declarations.attribute(column.name, of: table.entity.name).initial {
                case .constant(let constant)?: value = constant
                case .perRow?: value = functions.makeDefault(table.entity.name, column.name)
                case .unstorable?, nil: continue
                }
                columns.append(column.name.quotedIdentifier)
                values.append(value)
                let folded = column.name + ".folded"
                guard table.entity.column(folded) != nil else { continue }
                columns.append(folded.quotedIdentifier)
                values.append(value.searchFolded)
            }
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            try statements.run(
                "INSERT INTO \(table.name.quotedIdentifier) (\(columns.joined(separator: ", "))) VALUES (\(marks))",
                values
            )
            return id
        }
        let record = NewRecord(id, table, self)
        try fill(record)
        try failure.map { throw $0 }
        return record.id
    }

    /// Deletes an object of the new model version when the stage ends, and applies the delete rules of its relationships.
    ///
    /// - Parameter id: The object's id. If there is no such object, the call has no effect.
    /// - Throws: ``ObjectError`` if there is no such entity or the write fails.
    public func delete(_ id: ObjectID) throws {
        let table = try newTable(id.entityName)
        guard try row(id.rowID, of: table) != nil else { return }
        try remove(id.rowID, table)
    }

    /// Deletes all objects of an entity in the new model version when the stage ends, and applies the delete rules of their relationships.
    ///
    /// - Parameter entity: The entity's name in the new or old version.
    /// - Throws: ``ObjectError`` if there is no such entity or the write fails.
    public func deleteAll(_ entity: String) throws {
        let table = try newTable(entity)
        try perform {
            try makeRemovals()
            try statements.run(
                "INSERT OR IGNORE INTO \(Self.removals) SELECT objectID, ? FROM \(table.name.quotedIdentifier)",
                [.text(table.entity.name)]
            )
        }
    }

    /// Merges an object of the new model version into another object of the same entity when the stage ends.
    ///
    /// All references to the object become references to the survivor. In a one-to-one relationship, the survivor's existing reference
    /// takes precedence. The survivor's properties do not change. After the call, ``new(_:)`` returns `nil` for the merged object's id.
    ///
    /// - Parameters:
    ///   - id: The id of the object to merge and then delete.
    ///   - survivor: The id of the object to keep.
    /// - Throws: ``ObjectError`` with code `invalidModel` if either object does not exist, both are the same object, or their entities
    ///   differ.
    public func merge(_ id: ObjectID, into survivor: ObjectID) throws {
        let (table, other) = (try newTable(id.entityName), try newTable(survivor.entityName))
        guard table === other, id.rowID != survivor.rowID, try newRecord(id.rowID, of: table) != nil,
            try newRecord(survivor.rowID, of: table) != nil
        else {
            throw ObjectError(
                .invalidModel,
                "\(id) can't be merged into \(survivor). Merge two different, existing objects of the same entity."
            )
        }
        try perform {
            if !hasMerges {
                try statements.run(
                    "CREATE TABLE \(Self.merges) (id INTEGER PRIMARY KEY, survivor INTEGER NOT NULL, entity TEXT NOT NULL)"
                )
                try statements.run("CREATE INDEX temp.larder_survivors ON larder_merges (survivor)")
                hasMerges = true
            }
            try statements.run(
                "INSERT INTO \(Self.merges) VALUES (?, ?, ?)",
                [.integer(id.rowID), .integer(survivor.rowID), .text(table.entity.name)]
            )
            // Objects that were merged into this object earlier are redirected to its survivor.
            try statements.run(
                "UPDATE \(Self.merges) SET survivor = ? WHERE survivor = ?",
                [.integer(survivor.rowID), .integer(id.rowID)]
            )
        }
        try remove(id.rowID, table)
    }

    // MARK: Internals

    /// Records that the stage deletes an object of the new model version.
    func remove(_ id: Int64, _ table: RecordTable) throws {
        try perform {
            try makeRemovals()
            try statements.run(
                "INSERT OR IGNORE INTO \(Self.removals) VALUES (?, ?)",
                [.integer(id), .text(table.entity.name)]
            )
        }
    }

    private func makeRemovals() throws {
        guard !hasRemovals else { return }
        try statements.run("CREATE TABLE \(Self.removals) (id INTEGER PRIMARY KEY, entity TEXT NOT NULL)")
        hasRemovals = true
    }

    /// Returns whether the stage deleted the object with an id or merged it into another object.
    func isRemoved(_ id: Int64) throws -> Bool {
        guard hasRemovals else { return false }
        return try perform {
            let statement = try statements.statement("SELECT 1 FROM \(Self.removals) WHERE id = ?")
            statement.bind(id, at: 1)
            guard try statement.step() else { return false }
            statement.reset()
            return true
        }
    }

    /// Copies an entity's rows to a new table, unless that has already been done, so that writes preserve the old rows.
    func makeWritable(_ table: RecordTable) throws {
        guard !table.isWritable else { return }
        let name = StepStatements.rebuilt(table.entity.name)
        try statements.run(tables.make.table(table.entity, named: name))
        try statements.run(
            "INSERT INTO \(name.quotedIdentifier) (\(table.selection)) SELECT \(table.selection) "
                + "FROM \(table.name.quotedIdentifier) ORDER BY objectID"
        )
        table.name = name
        table.isWritable = true
    }

    /// Returns the stored value of an object's attribute, or NULL if the object does not exist.
    func stored(_ column: SchemaDescription.Column, _ id: Int64, _ table: RecordTable) throws -> ColumnValue {
        try perform {
            let statement = try statements.statement(
                "SELECT \(column.name.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE objectID = ?"
            )
            statement.bind(id, at: 1)
            guard try statement.step() else { return .null }
            defer { statement.reset() }
            return statement.value(at: 0)
        }
    }

    /// Converts a value to an attribute's format and stores the result.
    func store(_ value: ColumnValue, _ format: String, in property: String, _ id: Int64, _ table: RecordTable) throws {
        let (index, column) = try table.attribute(property)
        var stored = value
        if format != column.format, !value.isNull {
            guard case .exact(let converted) = conversion(from: format, to: column.format).convert(value) else {
                throw unstorable(column, id, table)
            }
            stored = converted
        }
        guard stored.isNull || table.isReadable(stored, at: index) else { throw unstorable(column, id, table) }
        try store(stored, index, id, table)
    }

    private func unstorable(_ column: SchemaDescription.Column, _ id: Int64, _ table: RecordTable) -> ObjectError {
        ObjectError(
            .notConvertible,
            "\(table.entity.name)/\(id).\(column.name) can't store the value without loss. Set a value of type "
                + "\(column.valueType ?? column.format)."
        )
    }

    /// Writes a value that is already in the attribute's stored format to an object's row.
    func store(_ value: ColumnValue, _ index: Int, _ id: Int64, _ table: RecordTable) throws {
        try perform {
            try makeWritable(table)
            let (statement, isFolded) = try table.update(index, statements.database)
            statement.bind(id, at: 1)
            statement.bind(value, at: 2)
            if isFolded { statement.bind(value.searchFolded, at: 3) }
            try statement.run()
        }
    }
}
#endif
