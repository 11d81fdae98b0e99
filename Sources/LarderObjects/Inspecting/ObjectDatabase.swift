#if Objects
internal import Foundation
internal import GRDB
internal import LarderFiles

/// A LarderObjects database, opened read-only without the model's classes.
package struct ObjectDatabase: Sendable {
    package struct Entity: Sendable {
        package let name: String
        package let count: Int
        package let columns: [Column]
        package let relationships: [Relationship]
        package let unique: [[String]]
        package let indexes: [[String]]

        /// The columns that store attributes.
        package var attributes: [Column] {
            columns.filter { $0.format != "reference" && $0.format != "position" && $0.format != "folded" }
        }
    }

    /// A column in an entity's table.
    package struct Column: Sendable {
        package let name: String
        package let format: String
        package let isRequired: Bool
        /// The entity to which a reference column refers, or `nil` for other columns.
        package let destination: String?
    }

    package struct Relationship: Sendable {
        package let name: String
        package let destination: String
        package let inverse: String
        package let isToMany: Bool
        package let isRequired: Bool
        package let isOrdered: Bool
        package let deleteRule: String
        /// Whether generated Swift source code declares the inverse on this relationship.
        package let namesInverse: Bool
    }

    package let path: String
    package let modelVersion: Int
    package let fingerprint: String
    package let entities: [Entity]
    let stored: StoredSchema
    let description: SchemaDescription
    let queue: DatabaseQueue
    /// The file or the copy that is read without a trace, or `nil` if the database was opened as usual.
    let untraced: UntracedFile?
    let knowledge = InspectedKnowledge()
    /// The times after which the queries of an inspection are interrupted.
    package var inspectionLimits = InspectionLimits()

    /// Opens a database file read-only.
    ///
    /// - Throws: ``ObjectError`` if the file is not a LarderObjects database or can't be read.
    package init(reading path: String) throws { try self.init(path) { nil } }

    /// Opens a database file, or a copy of it, without changing a byte in its folder.
    ///
    /// As usual, SQLite creates the files `FILE-wal` and `FILE-shm` if they are missing, and notes its reads there. This initializer avoids
    /// that: if the log contains saves or the file is small, a private copy of the file and the log is read, and otherwise the file itself, as
    /// one that nothing changes. The database has the content of the moment of the call. If a file that is not copied is changed later,
    /// reading throws an error.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - size: The size in bytes up to which a file without a log is copied.
    /// - Throws: ``ObjectError`` if the file is not a LarderObjects database or can't be read, or with code `busy` if it is changed all the
    ///   time, or if this process has it open.
    package init(readingWithoutTrace path: String, copyingUpTo size: Int = 32 << 20) throws {
        try self.init(path) { try UntracedFile(of: path, copyingUpTo: size) }
    }

    /// Runs a closure with a second connection to the same file or copy, while this one is used for other reads.
    func withOtherConnection<Result>(_ body: (ObjectDatabase) throws -> Result) throws -> Result {
        let other = try ObjectDatabase(path) { untraced }
        // The copy belongs to this database. A read-only connection can't lose data.
        defer { try? other.queue.close() }
        return try body(other)
    }

    private init(_ path: String, _ untraced: () throws -> UntracedFile?) throws {
        self.path = path
        do {
            try SQLiteVersion.current.check()
            try DatabaseOpening.check(path)
            self.untraced = try untraced()
            var configuration = DatabaseOpening.configuration()
            configuration.readonly = true
            queue = try DatabaseQueue(path: self.untraced?.name ?? path, configuration: configuration)
            let (stored, described, counts) = try queue.read { database in
                let statements = StatementCache(database)
                let stored = try StoredSchema.read(statements, path: path)
                let description = try stored.description()
                let counts = try description.entities.map { entity in
                    try statements.integers("SELECT count(*) FROM \(entity.name.quotedIdentifier)").first ?? 0
                }
                return (stored, description, counts)
            }
            self.stored = stored
            description = described
            modelVersion = stored.version
            fingerprint = stored.fingerprint
            entities = zip(described.entities, counts).map { Entity($0, count: Int($1)) }
        } catch let error as FileError {
            throw ObjectError(
                .inaccessible,
                "The file can't be read. Check its path and permissions.",
                path: path,
                underlying: error
            )
        } catch {
            throw ObjectError.wrapping(error, path: path)
        }
    }

    /// Closes the database.
    ///
    /// Errors are ignored, because a read-only connection can't lose data.
    package func close() {
        try? queue.close()
        untraced?.end()
    }

    /// Returns the entity with the given name, which is compared case-insensitively.
    package func entity(_ name: String) throws -> Entity {
        guard let entity = entities.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw ObjectError(
                .invalidModel,
                "There is no entity \"\(name)\". Use one of \(entities.map(\.name).joined(separator: ", ")).",
                path: path
            )
        }
        return entity
    }

    /// Returns the SQL statements that created the tables, the indexes and the triggers of programs.
    package func schema() throws -> [String] {
        try reading { statements in
            let rows = try statements.rows(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                    + "AND NOT (type = 'trigger' AND name GLOB 'larder.*') ORDER BY rowid"
            ) { $0.value(at: 0) }
            return rows.compactMap { if case .text(let sql) = $0 { sql + ";" } else { nil } }
        }
    }

    /// A sentence with the SQLite version and whether other programs can write to a database while Larder has it open.
    package static var engine: String {
        let version = SQLiteVersion.current
        let writers =
            version.hasLogResetRace
            ? "several processes can use a database, but programs without Larder must not write to it while a process has it open, because "
                + "this version has a race that 3.51.3, 3.50.7 and 3.44.6 fix"
            : "several processes can use a database, and programs without Larder can write to it if their SQLite is 3.51.3, 3.50.7, 3.44.6 "
                + "or a later release of one of these"
        return "SQLite \(version): \(writers)."
    }

    func reading<Result>(_ body: (StatementCache) throws -> Result) throws -> Result {
        do {
            try untraced?.check()
            let result = try queue.read { try body(StatementCache($0)) }
            // What was read after a change may be wrong.
            try untraced?.check()
            return result
        } catch {
            throw noting(error)
        }
    }
}

extension ObjectDatabase.Entity {
    init(_ entity: SchemaDescription.Entity, count: Int) {
        name = entity.name
        self.count = count
        columns = entity.columns.map {
            .init(name: $0.name, format: $0.format, isRequired: $0.isRequired, destination: $0.destination)
        }
        unique = entity.unique
        indexes = entity.indexes
        let references = Set(entity.columns.filter { $0.format == "reference" }.map(\.name))
        relationships = entity.relationships.map { relationship in
            let isToMany = relationship.cardinality == "many"
            let namesInverse =
                relationship.joinTable.map { $0 == "\(entity.name).\(relationship.name)" }
                ?? !references.contains(relationship.name)
            return .init(
                name: relationship.name,
                destination: relationship.destination,
                inverse: relationship.inverse,
                isToMany: isToMany,
                isRequired: relationship.cardinality == "requiredOne",
                isOrdered: relationship.isOrdered,
                deleteRule: relationship.deleteRule ?? "nullify",
                namesInverse: namesInverse
            )
        }
    }
}
#endif
