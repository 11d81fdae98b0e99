#if Objects
public import Foundation
internal import GRDB
internal import LarderFiles

extension SQLiteStorageManager {
    /// Opens a database read-only, even if the database has a newer version of the model than this program.
    ///
    /// The manager reads the entities and properties that the database and the model share. An attribute that the database lacks has its
    /// default value, and a relationship that the database lacks is empty. Fetching an entity throws ``ObjectError`` with code
    /// `modelMismatch` if the database lacks the entity, or a required property that has no default. ``unavailable`` lists the missing
    /// entities and properties.
    ///
    /// Values of an attribute that has another type in the database are converted as by a migration. A value that can't be converted
    /// exactly is read as the default, and an issue with code `notConvertible` is reported. ``verify()`` lists all such values. If no
    /// value of the stored type can be converted, the attribute is treated as missing. Every write throws ``ObjectError`` with code
    /// `readOnly`.
    ///
    /// - Parameters:
    ///   - model: The model that describes the entities.
    ///   - url: The URL of the database file.
    ///   - configuration: The settings to use. Its ``MismatchPolicy`` has no effect.
    /// - Returns: The manager.
    /// - Throws: ``ObjectError`` if the model is invalid or the file can't be opened. For an invalid model, the error lists every problem.
    public static func openReadOnly(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration = .init()
    ) throws -> SQLiteStorageManager {
        let resolved = try model.resolved()
        let opened = try DatabaseOpening(model: resolved, path: url.path, configuration).openReadOnly()
        return try SQLiteStorageManager(model: resolved, opened, path: url.path, temporaryFolder: nil, configuration)
    }

    /// Whether the manager was opened by ``openReadOnly(model:url:configuration:)``.
    public var isReadOnly: Bool { readOnly != nil }

    /// The entities and properties of the model that the database lacks, such as `Order` and `Order.fax`.
    ///
    /// An attribute is also listed if the database stores it with a type that can't be converted.
    ///
    /// The array is empty unless the manager was opened by ``openReadOnly(model:url:configuration:)``.
    public var unavailable: [String] { readOnly?.unavailable ?? [] }
}

/// The differences between the model and a database that was opened read-only.
struct ReadOnlyFile {
    /// The version of the stored model.
    let version: Int
    let unavailable: [String]
    /// The names of the model's entities that can't be read from the database.
    let entities: Set<String>
    /// The SQL statements that create temporary views of the stored tables under the model's names.
    let statements: [String]
}

extension DatabaseOpening {
    /// Opens the database with read-only connections.
    func openReadOnly() throws -> OpenedDatabase {
        do {
            try SQLiteVersion.current.check()
            try Self.check(path)
            try refuseSeveralNames()
            let lock = try openingLock().shared()
            guard let stored = try inspect() else { throw Self.missing(path) }
            var file = ReadOnlyFile(version: stored.version, unavailable: [], entities: [], statements: [])
            if try stored.fingerprint != SchemaDescription(model).fingerprint() {
                let views = try ReadOnlyViews(stored.frozen(), isFirstFormat: stored.format < 2, model)
                file = ReadOnlyFile(
                    version: stored.version,
                    unavailable: views.unavailable,
                    entities: views.entities,
                    statements: views.statements
                )
            }
            let information = try files.information(at: path, followingLinks: true)
            return try OpenedDatabase(
                pool: DatabasePool(path: path, configuration: Self.readOnly(file.statements)),
                lock: lock,
                writer: .notNeeded(),
                registration: information.map(OpenDatabases.shared.register),
                place: DatabasePlace(of: path),
                files: files,
                issue: nil,
                readOnly: file
            )
        } catch let error as FileError {
            throw Self.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Returns a configuration for read-only connections that run `statements` when they are opened.
    static func readOnly(_ statements: [String]) -> Configuration {
        var configuration = configuration()
        configuration.readonly = true
        guard !statements.isEmpty else { return configuration }
        configuration.prepareDatabase { database in
            for sql in statements { try PreparedStatement(sql, on: database).run() }
        }
        return configuration
    }

    private static func missing(_ path: String) -> ObjectError {
        ObjectError(.inaccessible, "The database file does not exist. Check the path.", path: path)
    }
}

extension ReadOnlyFile {
    /// Returns the error for an attempt to write to the database.
    func error(path: String) -> ObjectError {
        ObjectError(
            .readOnly,
            "Nothing was saved because the database was opened read-only. To write, open it with version \(version) of the model.",
            path: path
        )
    }
}
#endif
