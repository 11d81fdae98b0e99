#if Objects
/// Options for a migration that runs when a file is opened.
public struct MigrationOptions: Sendable {
    /// The number of migration backups to keep in the folder of the file, or 0 to make no backups.
    ///
    /// A backup is made before a migration that loses data or runs a custom stage. The backup is named `NAME.version-3`, where 3 is the
    /// version of the backup's content, or `NAME.version-3-2` if that name is taken. If a migration is undone, its backup is removed.
    public var backups = 1
    /// Whether to overwrite the data that a migration removes from the file.
    ///
    /// Overwriting makes a migration take up to 50 % longer. Backups still contain the data.
    public var erasesDroppedData = false
    /// A closure that receives the progress of a migration, called on the thread that opens the file.
    public var onProgress: (@Sendable (MigrationProgress) -> Void)?

    /// Creates options with the default values.
    public init() {}
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The version of the file before the migration.
    public let fromVersion: Int
    /// The version of the model.
    public let toVersion: Int
    /// The entity whose objects are being written; `nil` at the beginning and at the end.
    public let entity: String?
    /// The number of completed rows, which never decreases.
    public let completedRows: Int
    /// The number of rows in all steps, estimated before the first step.
    public let totalRows: Int
    let isFinished: Bool

    /// The completed fraction, from 0 to 1, which is 1 only after the migration is finished.
    public var fraction: Double {
        if isFinished { return 1 }
        return totalRows > 0 ? min(Double(completedRows) / Double(totalRows), 0.999) : 0
    }
}
#endif
