#if Objects
internal import Dispatch
internal import Foundation
internal import LarderCore
public import LarderObjects

/// A database of an earlier version of a model, for tests of migrations.
///
/// Its objects are inserted by name, so that the classes of the version are not needed. A test fills a database, migrates it, and checks the
/// objects:
///
/// ```swift
/// let old = try FrozenStorage(FrozenModel(contentsOf: models.appending(path: "v1.json")))
/// let customer = try old.insert("Customer", ["name": "Ada"])
/// try old.insert("Order", ["number": 7, "total": 12.5], links: ["customer": [customer]])
/// let manager = try old.migrated(to: Shop.model)
/// ```
///
/// A migration works on a copy, so that a test can migrate the same objects several times.
public final class FrozenStorage {
    private let database: FrozenDatabase
    private let folder: URL

    /// Creates a database without objects.
    ///
    /// - Parameter version: The version of the model, usually from a JSON file that `ObjectModel.freeze(in:)` wrote.
    /// - Throws: `ObjectError` if the temporary file can't be created.
    public init(_ version: FrozenModel) throws {
        folder = try Self.makeFolder()
        do {
            database = try FrozenDatabase(version, at: folder.appendingPathComponent("objects.sqlite").path)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    private init(_ database: FrozenDatabase, in folder: URL) {
        self.database = database
        self.folder = folder
    }

    /// Removes the temporary file.
    deinit { Self.remove(folder) }

    /// The version of the model.
    public var version: FrozenModel { database.version }

    /// Inserts an object.
    ///
    /// Attributes that are not in `values` have the constant defaults of their version, or else no value.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - values: The values of attributes. An enumeration's case is its raw value, such as `"placed"`.
    ///   - links: The ids of related objects in order. A to-one relationship has at most one.
    /// - Returns: The object's id, which a migration preserves.
    /// - Throws: `ObjectError` if a name is unknown, an attribute can't represent a value exactly, a related object does not exist, or a
    ///   unique value is taken. Nothing is inserted in that case.
    @discardableResult
    public func insert(
        _ entity: String,
        _ values: [String: any ColumnConvertible] = [:],
        links: [String: [ObjectID]] = [:]
    ) throws -> ObjectID {
        try insert(entity) { object in
            for (name, value) in values { Self.set(name, of: object, to: value) }
            for (name, ids) in links {
                try object.set(name, to: ids)
                let missing = Set(ids).subtracting(try object.records(name).map(\.id))
                guard missing.isEmpty else { throw Self.unrelated(missing, name, entity) }
            }
        }
    }

    /// Inserts an object whose properties a closure sets, in the same way as in a stage of a migration.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - fill: A closure that sets the properties, such as `{ try $0.encode(address, as: "address") }`.
    /// - Returns: The object's id, which a migration preserves.
    /// - Throws: An error thrown by `fill`, or `ObjectError` as for ``insert(_:_:links:)``.
    @discardableResult
    public func insert(_ entity: String, _ fill: (NewRecord) throws -> Void) throws -> ObjectID {
        try database.insert(entity, fill)
    }

    private static func unrelated(_ ids: Set<ObjectID>, _ relationship: String, _ entity: String) -> ObjectError {
        let names = ids.map(\.description).sorted().joined(separator: ", ")
        return ObjectError(
            .invalidObjects,
            "\(entity).\(relationship) can't lead to \(names). Insert an object of the related entity first, and use its id."
        )
    }

    private static func set<Value: ColumnConvertible>(_ name: String, of object: NewRecord, to value: Value) {
        object[name] = value
    }

    /// Opens a copy of the database with the program's model, and verifies the migrated copy.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - configuration: The settings of the manager. By default, its view has a queue of its own.
    /// - Returns: A manager. Closing it removes the copy.
    /// - Throws: `ObjectError` as opening a user's file would throw, or with code `damaged` if the migrated objects are not valid.
    public func migrated(
        to model: ObjectModel,
        configuration: ObjectStorageConfiguration? = nil
    ) throws -> SQLiteStorageManager {
        let folder = try Self.makeFolder()
        do {
            let manager = try database.opened(
                with: model,
                in: folder.path,
                configuration ?? .init(viewQueue: DispatchQueue(label: "larder.frozen-storage"))
            )
            let problems = try manager.verify().problems
            guard problems.isEmpty else {
                throw ObjectError(
                    .damaged,
                    "The migrated objects are not valid. Correct the stages of the migration.",
                    problems: problems.map { problem in (problem.key.map { $0 + ": " } ?? "") + problem.message }
                )
            }
            return manager
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    /// Migrates a copy of the database to another frozen version, to test a step between two versions of which neither has classes.
    ///
    /// - Parameters:
    ///   - version: The later version.
    ///   - plan: The program's plan. Its versions and stages after `version` are not used.
    /// - Returns: The migrated copy.
    /// - Throws: `ObjectError` as opening a user's file would throw.
    public func migrated(to version: FrozenModel, plan: MigrationPlan? = nil) throws -> FrozenStorage {
        let folder = try Self.makeFolder()
        do {
            let path = folder.appendingPathComponent("objects.sqlite").path
            return FrozenStorage(try database.migrated(to: version, plan: plan, at: path), in: folder)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    /// Returns the result of a closure for each object of an entity, in the order of the objects' ids.
    ///
    /// ```swift
    /// let names = try storage.rows("Customer") { $0["name"] as String? }
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - body: A closure that reads an object by the names of its properties. The object can't be used afterwards.
    /// - Returns: The results.
    /// - Throws: An error thrown by `body`, or `ObjectError` if there is no such entity or property.
    public func rows<Value>(_ entity: String, _ body: (MigrationRecord) throws -> Value) throws -> [Value] {
        try database.rows(entity, body)
    }

    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-frozen-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func remove(_ folder: URL) {
        // The folder is temporary. The system removes what is left of it.
        try? FileManager.default.removeItem(at: folder)
    }
}
#endif
