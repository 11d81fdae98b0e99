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

    /// Whether a checkpoint can corrupt the database if another connection restarts the write-ahead log at the same time.
    ///
    /// The race is fixed in SQLite 3.51.3, and in the patch releases 3.50.7 and 3.44.6. Larder's processes prevent the race with
    /// ``WriterLock``. Other programs that write to the database are safe only if their SQLite and that of every Larder process have the
    /// fix.
    package var hasLogResetRace: Bool {
        switch number {
        case 3_051_003..., 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }

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
