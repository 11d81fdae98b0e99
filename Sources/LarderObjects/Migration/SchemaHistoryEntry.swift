#if Objects
public import Foundation

/// An event in the history of a database's schema: its creation, or a step of a migration.
public struct SchemaHistoryEntry: Sendable, Hashable {
    /// Data that the step discarded or changed.
    public struct Loss: Sendable, Hashable {
        /// The type of the data.
        public let kind: MigrationLoss.Kind
        /// The name of the entity.
        public let entity: String
        /// The name of the property, or `nil` if entire objects were lost.
        public let property: String?
        /// The number of values, objects or links.
        public let count: Int
    }

    /// The model after the event.
    public let model: FrozenModel
    /// The time of the event.
    public let date: Date
    /// What was done, each action in a short sentence.
    public let actions: [String]
    /// The data that was lost, all of which the model or a stage allowed to be lost.
    public let losses: [Loss]
    /// The name of the backup that was made before the step, in the folder of the file; `nil` if none was made.
    public let backup: String?
}

extension SQLiteStorageManager {
    /// Returns how the schema of a database file came to be: its creation, then every step of its migrations.
    ///
    /// Files that an earlier version of Larder created have a history from their first migration on.
    ///
    /// - Parameter url: The URL of the database file, which is not changed.
    /// - Returns: The events, oldest first, or an empty array if the file has no history yet.
    /// - Throws: ``ObjectError`` if the file can't be read, is not a LarderObjects database, or was written by a newer version of Larder.
    public static func schemaHistory(of url: URL) throws -> [SchemaHistoryEntry] {
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        return try database.history()
    }
}

extension ObjectDatabase {
    /// Returns the model that the file contains.
    package func frozen() throws -> FrozenModel { try stored.frozen() }

    /// Returns the creation of the database and every step of its migrations, oldest first.
    package func history() throws -> [SchemaHistoryEntry] {
        guard stored.format >= 2 else { return [] }
        return try reading { try SchemaHistory.entries($0, path: path) }
    }

    /// Returns a preview of the migration of this database to another model.
    ///
    /// The preview assumes that the program contains the code that computes default values.
    ///
    /// - Parameter other: The model to migrate to.
    /// - Returns: The step, losses and refusals of the migration. If the database is newer than the model, there is a refusal.
    /// - Throws: ``ObjectError`` if a read fails.
    package func preview(to other: FrozenModel) throws -> MigrationPreview {
        if stored.fingerprint == other.fingerprint, stored.version == other.version {
            return MigrationPreview(steps: [], losses: [], refusals: [], neededDiskSpace: 0)
        }
        let path = try MigrationPath(from: stored.frozen(), isFirstFormat: stored.format < 2, plan: nil, to: other)
        return try preview(
            path,
            model: nil,
            refusals: stored.version <= other.version
                ? []
                : [
                    "The file has version \(stored.version) of the model, which is newer than \(other.version). Update the program that has version \(other.version)."
                ]
        )
    }
}
#endif
