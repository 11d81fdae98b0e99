#if Objects
internal import GRDB

/// The configuration of the connection that a migration uses.
///
/// The connection holds an exclusive lock on the database.
enum MigrationConnection {
    /// Returns the configuration of the migration's connection.
    ///
    /// The connection does not enforce foreign keys, because migrations replace tables.
    ///
    /// - Parameter erasing: Whether to overwrite deleted data in the database file.
    /// - Returns: The configuration.
    static func configuration(erasing: Bool = false) -> Configuration {
        var configuration = DatabaseOpening.configuration()
        configuration.label = "larder.objects.migration"
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            for pragma in [
                // If the locking mode is set before the first read, SQLite acquires the exclusive lock at once.
                "locking_mode = EXCLUSIVE", "legacy_alter_table = OFF", "synchronous = FULL",
                // Overwriting each dropped page would double the size of the log.
                "secure_delete = \(erasing ? "ON" : "FAST")",
            ] { try PreparedStatement("PRAGMA \(pragma)", on: database).run() }
        }
        return configuration
    }
}
#endif
