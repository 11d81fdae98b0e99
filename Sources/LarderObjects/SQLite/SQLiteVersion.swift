#if Objects
internal import GRDBSQLite

/// A version of the SQLite library.
package struct SQLiteVersion: CustomStringConvertible {
    /// The version number in SQLite's encoding, such as 3037000 for version 3.37.0.
    let number: Int32

    /// Creates a version from a number in SQLite's encoding, such as 3037000 for version 3.37.0.
    ///
    /// - Parameter number: The version number.
    package init(number: Int32) { self.number = number }

    /// The version of the SQLite library that the program links.
    package static var current: SQLiteVersion { SQLiteVersion(number: sqlite3_libversion_number()) }

    package var description: String { "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" }

    /// Whether only one process at a time can safely open a database with this version of SQLite.
    ///
    /// Before SQLite 3.51.3, a checkpoint could reset the write-ahead log while another process was writing to it.
    package var needsExclusiveFile: Bool { number < 3_051_003 }

    /// Throws an error if the version is older than 3.37, which introduced strict tables.
    package func check() throws {
        guard number < 3_037_000 else { return }
        throw ObjectError(
            .unsupportedSQLite,
            "Object storage requires SQLite 3.37 or later, but this program links \(self), so no file was opened. "
                + "Update the system's SQLite, or link a newer version."
        )
    }
}
#endif
