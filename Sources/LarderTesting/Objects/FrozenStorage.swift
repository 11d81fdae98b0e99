#if Objects
internal import Dispatch
internal import Foundation
internal import LarderCore
public import LarderObjects

/// A database with an earlier version of a model, for testing migrations.
///
/// Objects are inserted by entity name, so the classes of the earlier version are not needed. A test fills a database, migrates it, and
/// checks the objects:
///
/// ```swift
/// let old = try FrozenStorage(FrozenModel(contentsOf: models.appending(path: "v1.json")))
/// let customer = try old.insert("Customer", ["name": "Ada"])
/// try old.insert("Order", ["number": 7, "total": 12.5], links: ["customer": [customer]])
/// let manager = try old.migrated(to: Shop.model)
/// ```
///
/// A migration works on a copy, so a test can migrate the same objects several times.
public final class FrozenStorage {
    private let database: FrozenDatabase
    private let folder: URL

    /// Creates an empty database.
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

    /// Removes the temporary folder.
    deinit { Self.remove(folder) }

    /// The frozen version of the model that the database uses.
    public var version: FrozenModel { database.version }

    /// Inserts an object.
    ///
    /// Attributes missing from `values` get the constant default that this version of the model declares, or no value if there is none.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - values: The attribute values, keyed by attribute name. Specify an enumeration case by its raw value, such as `"placed"`.
    ///   - links: The ids of related objects, in order, keyed by relationship. A to-one relationship has at most one id.
    /// - Returns: The object's id, which a migration preserves.
    /// - Throws: `ObjectError` if a name is unknown, an attribute can't store a value without loss, a related object does not exist, or a
    ///   unique value already exists. A failed call inserts nothing.
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

    /// Inserts an object and sets its properties with a closure, as in a migration stage.
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
            "\(entity).\(relationship) can't refer to \(names). Insert an object of the related entity first, and use its id."
        )
    }

    private static func set<Value: ColumnConvertible>(_ name: String, of object: NewRecord, to value: Value) {
        object[name] = value
    }

    /// Migrates a copy of the database to a model, opens the copy and verifies its objects.
    ///
    /// - Parameters:
    ///   - model: The model to migrate to.
    ///   - configuration: The settings of the manager. By default, the manager's view uses a private dispatch queue.
    /// - Returns: A storage manager for the copy. Closing the manager removes the copy.
    /// - Throws: The `ObjectError` that opening a user's file would throw, or one with code `damaged` if the migrated objects are invalid.
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
                    "The migrated objects are invalid. Correct the stages of the migration.",
                    problems: problems.map { problem in (problem.key.map { $0 + ": " } ?? "") + problem.message }
                )
            }
            return manager
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    /// Migrates a copy of the database to another frozen version, for testing migrations between versions without classes.
    ///
    /// - Parameters:
    ///   - version: The later version.
    ///   - plan: The program's plan. Its versions and stages after `version` are ignored.
    /// - Returns: The migrated copy.
    /// - Throws: The `ObjectError` that opening a user's file would throw.
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

    /// Calls a closure for each object of an entity, in the order of the objects' ids, and returns the results.
    ///
    /// ```swift
    /// let names = try storage.rows("Customer") { $0["name"] as String? }
    /// ```
    ///
    /// - Parameters:
    ///   - entity: The name of the entity.
    ///   - body: A closure that reads an object by the names of its properties. The object can't be used after the closure returns.
    /// - Returns: The results of `body`.
    /// - Throws: An error thrown by `body`, or `ObjectError` if the entity or a property does not exist.
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
