#if Objects
internal import GRDBSQLite

/// A version of SQLite, and what follows from it.
package struct SQLiteVersion: CustomStringConvertible {
    /// As SQLite counts: 3037000 is 3.37.0.
    let number: Int32

    /// A version.
    ///
    /// - Parameter number: As SQLite counts: 3037000 is 3.37.0.
    package init(number: Int32) { self.number = number }

    /// The one that the program is linked with.
    package static var current: SQLiteVersion { SQLiteVersion(number: sqlite3_libversion_number()) }

    package var description: String { "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)" }

    /// Before 3.51.3 a checkpoint in one process could reset the log under a writer in another (SQLite's "WAL-reset" fault).
    package var needsExclusiveFile: Bool { number < 3_051_003 }

    /// Throws when it is older than 3.37, the first one whose tables check the types of their columns.
    package func check() throws {
        guard number < 3_037_000 else { return }
        throw ObjectError(
            .unsupportedSQLite,
            "Object storage needs SQLite 3.37 or later, and this program is linked with \(self): nothing was touched, "
                + "update the system's SQLite or link a newer one."
        )
    }
}
#endif
