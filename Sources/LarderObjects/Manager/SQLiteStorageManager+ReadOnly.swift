#if Objects
public import Foundation
internal import GRDB
internal import LarderFiles

extension SQLiteStorageManager {
    /// Opens a database for reading, also if its file has a newer version of the model than this program.
    ///
    /// The manager reads what the file and the model share. An attribute that the file does not have reads as its default, and a relationship
    /// reads as empty. Fetching an entity that the file does not have, or of which it lacks a required property without a default, throws
    /// ``ObjectError`` with code `modelMismatch`. ``unavailable`` lists all of them. Every write throws code `readOnly`, and the file does not
    /// change.
    ///
    /// - Parameters:
    ///   - model: The entities.
    ///   - url: The database file.
    ///   - configuration: The configuration. A file that can't be read is refused with every policy.
    /// - Returns: The manager.
    /// - Throws: ``ObjectError`` that lists every problem of the model, or that says why the file can't be opened.
    public static func openReadOnly(
        model: ObjectModel,
        url: URL,
        configuration: ObjectStorageConfiguration = .init()
    ) throws -> SQLiteStorageManager {
        let resolved = try model.resolved()
        let opened = try DatabaseOpening(model: resolved, path: url.path, configuration).openReadOnly()
        return SQLiteStorageManager(model: resolved, opened, path: url.path, temporaryFolder: nil, configuration)
    }

    /// Whether the manager was opened by ``openReadOnly(model:url:configuration:)``.
    public var isReadOnly: Bool { readOnly != nil }

    /// What of the model the file does not have: entities, and properties such as `Order.fax`.
    ///
    /// Empty unless the manager was opened by ``openReadOnly(model:url:configuration:)``.
    public var unavailable: [String] { readOnly?.unavailable ?? [] }
}

/// How a file that was opened read-only differs from the model.
struct ReadOnlyFile {
    /// The version of the model in the file.
    let version: Int
    let unavailable: [String]
    /// The entities of the model that can't be read.
    let entities: Set<String>
    /// The statements that prepare a connection.
    let statements: [String]
}

extension DatabaseOpening {
    /// Opens the database on connections that only read.
    func openReadOnly() throws -> OpenedDatabase {
        do {
            try SQLiteVersion.current.check()
            try Self.check(path)
            try refuseSeveralNames()
            try refuseIfOpenHere()
            let lock = try takeLock()
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
                lock: SQLiteVersion.current.needsExclusiveFile ? lock : nil,
                registration: information.map(OpenDatabases.shared.register),
                place: DatabasePlace(of: path),
                issue: nil,
                readOnly: file
            )
        } catch let error as FileError {
            throw Self.error(error, path)
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Returns the configuration of a connection that only reads.
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
        ObjectError(.inaccessible, "There is no file at this path: check its spelling.", path: path)
    }
}

extension ReadOnlyFile {
    /// The error of a write.
    func error(path: String) -> ObjectError {
        ObjectError(
            .readOnly,
            "Nothing was saved, because the database was opened by openReadOnly. Open it with a model of version \(version) to write.",
            path: path
        )
    }
}
#endif
