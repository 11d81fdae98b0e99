#if Objects
public import LarderCore

/// Options for a migration that runs when a database is opened.
public struct MigrationOptions: Sendable {
    /// The number of migration backups to keep in the database's folder, or 0 for no backups.
    ///
    /// A backup is made before a migration that loses data or runs a custom stage, and removed if the migration is rolled back. The name of
    /// a backup of version 3 is `NAME.version-3`, or `NAME.version-3-2` if that name is in use.
    public var backups = 1
    /// Whether to overwrite data that a migration deletes from the database file.
    ///
    /// Overwriting makes a migration take up to 50 % longer. Backups still contain the data.
    public var erasesDroppedData = false
    /// A closure that is called with the progress of a migration, on the thread that opens the database.
    public var onProgress: (@Sendable (MigrationProgress) -> Void)?

    /// Creates options with the default values.
    public init() {}
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The database's model version before the migration.
    public let fromVersion: Int
    /// The model version to which the database is migrated.
    public let toVersion: Int
    /// The name of the entity whose objects are being written.
    ///
    /// The name is `nil` during the backup and when the migration starts or finishes.
    public let entity: String?
    /// The number of rows written so far, which never decreases.
    public let completedRows: Int
    /// The number of rows to write in all steps, estimated after the backup and before the first step.
    public let totalRows: Int
    /// The progress of the backup, in pages, or `nil` if the migration makes no backup.
    public let backup: StoreProgress?
    let isFinished: Bool

    /// The completed fraction of the migration, from 0 to 1.
    ///
    /// A backup counts as a quarter of the migration. The fraction reaches 1 only when the migration is complete.
    public var fraction: Double {
        if isFinished { return 1 }
        let rows = totalRows > 0 ? Double(completedRows) / Double(totalRows) : 0
        return min(backup.map { $0.fraction / 4 + rows * 3 / 4 } ?? rows, 0.999)
    }
}
#endif
