#if Objects
public import Foundation
package import LarderCore

/// The policy for opening an unusable database file.
///
/// The policy applies to a file that is corrupt, is not a SQLite database, or has a schema that can't be migrated. With every policy,
/// opening throws an error if the database belongs to another application, was written by a newer version, is open in another program or
/// can't be read, or if the disk is full.
public enum MismatchPolicy: Sendable, Hashable {
    /// Opening throws an error and leaves the database file unchanged.
    case refuse
    /// Renames the file, and creates a database with all data that can be read and converted to the model.
    ///
    /// The file is renamed to `NAME.quarantined-1` (or the next unused number), and ``SQLiteStorageManager/issues`` reports the new name.
    /// Objects with values that the model can't represent are stored in the table `larder_in_doubt`. If no data can be read, the new
    /// database is empty. See ``SQLiteStorageManager/salvage(from:to:model:progress:)``.
    case salvageAndRecreate
    /// Renames the file, and creates an empty database.
    ///
    /// The file is renamed to `NAME.quarantined-1` (or the next unused number), and ``SQLiteStorageManager/issues`` reports the new name.
    case quarantineAndRecreate
}

/// The corruption check that runs when a database is opened.
///
/// Reads and ``SQLiteStorageManager/verify()`` detect corruption that this check does not cover.
public enum OpeningCheck: Sendable, Hashable {
    /// Checks the header, the file size, the schema and Larder's own tables.
    ///
    /// This check takes almost no time.
    case schema
    /// Runs the checks of ``schema`` and SQLite's `quick_check`, which reads the whole file but does not compare indexes with their tables.
    case quick
    /// Runs the checks of ``schema`` and SQLite's `integrity_check`, which reads the whole file and compares indexes with their tables.
    case full
}

/// The settings for opening a database with a ``SQLiteStorageManager``.
public struct ObjectStorageConfiguration: Sendable {
    /// The serial queue on which commits are merged into the view.
    ///
    /// Specify another queue if the program's main queue does not run.
    public var viewQueue: DispatchQueue
    /// The policy for opening an unusable database file.
    public var onMismatch: MismatchPolicy
    /// The corruption check that runs when the database is opened.
    public var check: OpeningCheck = .schema
    /// The maximum time that opening a database waits for other managers, in this and other processes.
    ///
    /// Opening waits while another manager creates, migrates or replaces the file. If this manager must do that itself, opening also waits
    /// while others have the file open. The default is 5 s.
    public var openingTimeout: Duration = .seconds(5)
    /// The maximum time that a write waits for writers in other managers and processes.
    ///
    /// If another manager is still writing to the database after this time, the write throws ``ObjectError`` with code `busy`, and nothing is
    /// saved. The default is 5 s. A write waits up to 5 s more for a program that does not use Larder's lock.
    public var writingTimeout: Duration = .seconds(5)
    /// The name under which the manager's saves are recorded in the file, such as "sync".
    ///
    /// The default is the name of the executable. ``WritableStorageType/author`` names a single save.
    public var author: String? = ProcessInfo.processInfo.processName
    /// What the file records about each save, and for how long.
    ///
    /// The default, ``HistoryPolicy/internal``, keeps the policy that the file has. A manager that is opened read-only changes nothing.
    public var history: HistoryPolicy = .internal
    /// The source of the times at which saves are recorded.
    package var time: any TimeSource = SystemTimeSource()

    /// The options for a migration that runs when the database is opened.
    public var migration = MigrationOptions()

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - viewQueue: The serial queue on which commits are merged into the view.
    ///   - onMismatch: The policy for opening an unusable database file.
    public init(viewQueue: DispatchQueue = .main, onMismatch: MismatchPolicy = .refuse) {
        self.viewQueue = viewQueue
        self.onMismatch = onMismatch
    }
}
#endif
