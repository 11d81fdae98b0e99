#if Objects
internal import Foundation
internal import GRDB
internal import LarderFiles

/// A database with the schema of a frozen model version, for tests of migrations.
///
/// Objects are read and written by entity and property name. No other connection may have the file open.
package final class FrozenDatabase {
    /// The frozen model version that defines the database's schema.
    package let version: FrozenModel
    private let path: String
    private let queue: DatabaseQueue

    /// Creates an empty database.
    ///
    /// - Parameters:
    ///   - version: The frozen version that defines the schema.
    ///   - path: The path of the new file. The folder must exist, and the file must not exist.
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

    private init(migrated version: FrozenModel, at path: String) throws {
        self.version = version
        self.path = path
        queue = try DatabaseQueue(path: path, configuration: DatabaseOpening.configuration())
    }

    // A failed close loses no data, because each insertion was committed.
    deinit { try? queue.close() }

    /// Inserts an object with the constant default values of its attributes.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - fill: A closure that sets the properties.
    /// - Returns: The object's id.
    /// - Throws: An error thrown by `fill`, or ``ObjectError`` if the object can't be inserted. If the call throws, nothing is inserted.
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

    /// Calls a closure with each object of an entity, in id order, and returns the results.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - body: A closure that reads an object. Don't use the object after the closure returns.
    /// - Returns: The results of `body`.
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

    /// Writes a copy of the database to a new file.
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
    ///   - target: The version to migrate to.
    ///   - plan: The migration plan, or `nil` to migrate in one step. Stages that lead to versions after `target` are ignored.
    ///   - path: The path of the copy.
    /// - Returns: The migrated copy.
    /// - Throws: ``ObjectError`` if the database is newer than `target` or can't be migrated.
    package func migrated(to target: FrozenModel, plan: MigrationPlan?, at path: String) throws -> FrozenDatabase {
        guard version.version <= target.version else {
            throw ObjectError(
                .storeIsNewer,
                "The file has version \(version.version) of the model, which is newer than version \(target.version). "
                    + "Migrate it to version \(version.version) or a later version."
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
                try SharingSchema.createTriggers(target.schema, statements)
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
    ///   - model: The model to migrate the copy to.
    ///   - folder: The path of an existing folder for the copy. The folder is removed when the manager is closed.
    ///   - configuration: The settings of the manager.
    /// - Returns: The manager.
    /// - Throws: ``ObjectError`` if the copy can't be written, migrated or opened.
    package func opened(
        with model: ObjectModel,
        in folder: String,
        _ configuration: ObjectStorageConfiguration
    ) throws -> SQLiteStorageManager {
        let resolved = try model.resolved()
        let path = FilePath.joining(folder, "objects.sqlite")
        try copy(to: path)
        let opened = try DatabaseOpening(model: resolved, path: path, configuration, isPrivate: true).open()
        return try SQLiteStorageManager(model: resolved, opened, path: path, temporaryFolder: folder, configuration)
    }
}
#endif
