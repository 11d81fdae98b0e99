#if Objects
public import Foundation

/// An event in the history of a database's schema: the creation of the database or a migration step.
public struct SchemaHistoryEntry: Sendable, Hashable {
    /// Data that a migration step discarded or changed.
    public struct Loss: Sendable, Hashable {
        /// The type of data that was lost.
        public let kind: MigrationLoss.Kind
        /// The name of the affected entity.
        public let entity: String
        /// The name of the affected property, or `nil` if entire objects were lost.
        public let property: String?
        /// The number of lost values, objects or links.
        public let count: Int
    }

    /// The model after the event.
    public let model: FrozenModel
    /// The date and time of the event.
    public let date: Date
    /// Short descriptions of the event's actions, such as `drop Order.fax`.
    public let actions: [String]
    /// The data that the migration step discarded or changed, as allowed by the model or a custom stage.
    public let losses: [Loss]
    /// The file name of the backup that was made before the step, or `nil` if no backup was made.
    public let backup: String?
}

extension SQLiteStorageManager {
    /// Returns the history of a database's schema, from the creation of the database through all migration steps.
    ///
    /// The history of a database created by an earlier version of Larder begins with its first migration.
    ///
    /// - Parameter url: The URL of the database file, which is not changed.
    /// - Returns: The events, oldest first, or an empty array if the database has no history.
    /// - Throws: ``ObjectError`` if the file can't be read, is not a LarderObjects database, or was written by a newer version of Larder.
    public static func schemaHistory(of url: URL) throws -> [SchemaHistoryEntry] {
        let database = try ObjectDatabase(reading: url.path)
        defer { database.close() }
        return try database.history()
    }
}

extension ObjectDatabase {
    /// Returns the model stored in the database.
    package func frozen() throws -> FrozenModel { try stored.frozen() }

    /// Returns the history of the database's schema, oldest event first.
    package func history() throws -> [SchemaHistoryEntry] {
        guard stored.format >= 2 else { return [] }
        return try reading { try SchemaHistory.entries($0, path: path) }
    }

    /// Returns a preview of migrating this database to another model.
    ///
    /// The preview assumes that the program contains the code that computes default values.
    ///
    /// - Parameter other: The model to migrate to.
    /// - Returns: The step, losses and refusals of the migration. If the database is newer than the model, the preview contains a refusal.
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
                    "The file has version \(stored.version) of the model, which is newer than version \(other.version). Update the program that uses version \(other.version)."
                ]
        )
    }
}
#endif
