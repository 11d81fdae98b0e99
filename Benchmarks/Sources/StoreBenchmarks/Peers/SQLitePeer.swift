#if SQLite
import GRDB

/// A SQLite database in WAL mode that is used through GRDB as in an app, with one table and cached statements.
final class SQLitePeer {
    private let pool: DatabasePool

    /// Creates a database with `keys`.
    ///
    /// If `isSynced` is `true`, each commit survives power loss. Otherwise it survives only if the process is killed.
    init(_ path: String, _ keys: [String] = [], isSynced: Bool = false) throws {
        pool = try DatabasePool(path: path)
        // When GRDB enables WAL, it sets `synchronous` to NORMAL.
        if isSynced { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
        try pool.write { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID"
            )
        }
        if !keys.isEmpty { try put(0, keys) }
    }

    /// Reads the value of one key in its own read transaction.
    func get(_ key: String) throws -> Int? { try pool.read { try Self.get(key, $0) } }

    /// Reads the values of all keys in one read transaction.
    func get(_ keys: [String]) throws {
        try pool.read { database in
            for key in keys { keep(try Self.get(key, database)) }
        }
    }

    private static func get(_ key: String, _ database: Database) throws -> Int? {
        let statement = try database.cachedStatement(sql: "SELECT value FROM entry WHERE key = ?")
        return try Int.fetchOne(statement, arguments: [key])
    }

    /// Writes the value of one key in its own commit.
    func put(_ value: Int, _ key: String) throws { try put(value, [key]) }

    /// Writes the values of all keys in one commit.
    func put(_ value: Int, _ keys: [String]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO entry VALUES (?, ?)")
            for (index, key) in keys.enumerated() { try statement.execute(arguments: [key, value &+ index]) }
        }
    }
}
#endif
