#if Objects
internal import Foundation
internal import GRDB
internal import LarderFiles

/// A database of a frozen version, whose objects are written and read by name.
///
/// It serves tests of migrations. No other connection may have the file open.
package final class FrozenDatabase {
    /// The version of the model.
    package let version: FrozenModel
    private let path: String
    private let queue: DatabaseQueue

    /// Creates a database without objects.
    ///
    /// - Parameters:
    ///   - version: The version of the model.
    ///   - path: The path of the file. Its folder must exist, and no file may exist at the path.
    /// - Throws: ``ObjectError`` if the file can't be created.
    package init(_ version: FrozenModel, at path: String) throws {
        self.version = version
        self.path = path
        do {
            queue = try DatabaseQueue(path: path, configuration: DatabaseOpening.configuration())
            try queue.writeWithoutTransaction { try StoredSchema.create(version, StatementCache($0)) }
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Opens a copy that ``migrated(to:plan:at:)`` wrote.
    private init(migrated version: FrozenModel, at path: String) throws {
        self.version = version
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: DatabaseOpening.configuration())
    }

    /// Closes the file.
    ///
    /// Each insertion was committed, so a failed close loses no data.
    deinit { try? queue.close() }

    /// Inserts an object whose attributes have the version's constant defaults.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - fill: A closure that sets the properties.
    /// - Returns: The object's id.
    /// - Throws: An error thrown by `fill`, or ``ObjectError`` if the object can't be inserted. Nothing is changed in that case.
    package func insert(_ entity: String, _ fill: (NewRecord) throws -> Void) throws -> ObjectID {
        let nothing = try FrozenModel(version: 0, schema: SchemaDescription(entities: []), declarations: .init())
        do {
            return try run(from: nothing, .commit) { migration in
                let id = try migration.insert(entity, fill)
                try migration.finish()
                return id
            }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY {
            throw ObjectError(
                .invalidObjects,
                "\(entity) was not inserted because it refers to an object that does not exist. Insert that object first, and use its id.",
                underlying: error
            )
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw ObjectError(
                .duplicate,
                "\(entity) was not inserted because another object has the same unique value (\(error.message ?? "unknown property")). "
                    + "Set another value.",
                underlying: error
            )
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Returns the result of a closure for each object of an entity, in the order of the objects' ids.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - body: A closure that reads an object. The object can't be used afterwards.
    /// - Returns: The results.
    /// - Throws: An error thrown by `body`, or ``ObjectError`` if there is no such entity or property.
    package func rows<Value>(_ entity: String, _ body: (MigrationRecord) throws -> Value) throws -> [Value] {
        do {
            // Reading a relationship may create a temporary index.
            return try run(from: version, .rollback) { migration in
                var values: [Value] = []
                try migration.forEach(entity) { values.append(try body($0)) }
                return values
            }
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    private func run<Value>(
        from earlier: FrozenModel,
        _ completion: Database.TransactionCompletion,
        _ body: (Migration) throws -> Value
    ) throws -> Value {
        let step = InferredStep(from: earlier, to: version, isFirstFormat: false)
        var value: Value?
        try queue.inTransaction(.immediate) { database in
            let migration = Migration(
                step,
                StepStatements(step),
                MigrationStage(from: earlier.version, to: version.version) { _ in },
                model: nil,
                ConversionFunctions([], model: nil),
                database,
                MigrationControl()
            )
            defer { migration.end() }
            value = .some(try body(migration))
            try migration.failure.map { throw $0 }
            return completion
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
        return value
    }

    /// Writes a copy of the database to a path where no file exists.
    ///
    /// - Throws: ``ObjectError`` with code `invalidObjects` if an object lacks a required value, or another error if the copy can't be
    ///   written.
    package func copy(to path: String) throws {
        do {
            try queue.read { try checkRequired(StatementCache($0)) }
            try DatabaseBackup().write(queue, to: path, verifying: false)
        } catch let error as FileError {
            throw DatabaseOpening.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    private func checkRequired(_ statements: StatementCache) throws {
        for entity in version.schema.entities {
            for column in entity.columns where column.isRequired {
                let ids = try statements.integers(
                    "SELECT objectID FROM \(entity.name.quotedIdentifier) WHERE \(column.name.quotedIdentifier) IS NULL LIMIT 1"
                )
                guard let id = ids.first else { continue }
                throw ObjectError(
                    .invalidObjects,
                    "\(entity.name)/\(id).\(column.name) has no value but is not optional. Set it when you insert the object."
                )
            }
        }
    }

    /// Migrates a copy of the database to another frozen version.
    ///
    /// - Parameters:
    ///   - target: The later version.
    ///   - plan: The versions between, and the stages. Those that lead beyond `target` are ignored.
    ///   - path: The path of the copy.
    /// - Returns: The migrated copy.
    /// - Throws: ``ObjectError`` as opening the file with a model of the version would throw.
    package func migrated(to target: FrozenModel, plan: MigrationPlan?, at path: String) throws -> FrozenDatabase {
        guard version.version <= target.version else {
            throw ObjectError(
                .storeIsNewer,
                "The file has version \(version.version) of the model, which is newer than \(target.version). Migrate it to a later version."
            )
        }
        let plan = plan.map { plan in
            MigrationPlan(versions: plan.versions, stages: plan.stages.filter { $0.to <= target.version })
        }
        var steps = try MigrationPath(from: version, isFirstFormat: false, plan: plan, to: target)
        steps.refuseLostDefaults(nil)
        try copy(to: path)
        do {
            let copy = try DatabaseQueue(path: path, configuration: MigrationConnection.configuration())
            // The copy is temporary, and a later error reports a failed commit.
            defer { try? copy.close() }
            let losses = try copy.read { try steps.losses(nil, StatementCache($0)) }
            if let error = steps.refusal(losses) { throw error }
            try copy.inTransaction(.immediate) { database in
                let statements = StatementCache(database)
                for step in steps.steps {
                    let losses = try MigrationRun(step.inferred, model: nil, statements, stage: step.stage).run()
                    try StoredSchema.record(step, losses: losses, backup: nil, statements)
                }
                return .commit
            }
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
        return try FrozenDatabase(migrated: target, at: path)
    }

    /// Opens a copy of the database with a model.
    ///
    /// - Parameters:
    ///   - model: The model, to which the copy is migrated.
    ///   - folder: The path of the copy's folder, which must exist and is removed when the manager is closed.
    ///   - configuration: The settings of the manager.
    /// - Returns: The manager.
    /// - Throws: ``ObjectError`` as opening the file would throw.
    package func opened(
        with model: ObjectModel,
        in folder: String,
        _ configuration: ObjectStorageConfiguration
    ) throws -> SQLiteStorageManager {
        let resolved = try model.resolved()
        let path = FilePath.joining(folder, "objects.sqlite")
        try copy(to: path)
        let opened = try DatabaseOpening(model: resolved, path: path, configuration).open()
        return SQLiteStorageManager(model: resolved, opened, path: path, temporaryFolder: folder, configuration)
    }
}
#endif
