#if SQLite
import GRDB

/// SQLite in WAL mode through GRDB, as an app would use it: one table, statements kept.
final class SQLitePeer {
    private let pool: DatabasePool

    /// A database with `keys`; each commit survives power loss when `isSynced`, and the death of the process otherwise.
    init(_ path: String, _ keys: [String] = [], isSynced: Bool = false) throws {
        pool = try DatabasePool(path: path)
        // GRDB chooses NORMAL itself when it turns WAL on.
        if isSynced { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
        try pool.write { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID"
            )
        }
        if !keys.isEmpty { try put(0, keys) }
    }

    /// One read transaction.
    func get(_ key: String) throws -> Int? { try pool.read { try Self.get(key, $0) } }

    /// All in one read transaction.
    func get(_ keys: [String]) throws {
        try pool.read { database in
            for key in keys { keep(try Self.get(key, database)) }
        }
    }

    private static func get(_ key: String, _ database: Database) throws -> Int? {
        let statement = try database.cachedStatement(sql: "SELECT value FROM entry WHERE key = ?")
        return try Int.fetchOne(statement, arguments: [key])
    }

    /// One commit.
    func put(_ value: Int, _ key: String) throws { try put(value, [key]) }

    /// One commit for all.
    func put(_ value: Int, _ keys: [String]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: "INSERT OR REPLACE INTO entry VALUES (?, ?)")
            for (index, key) in keys.enumerated() { try statement.execute(arguments: [key, value &+ index]) }
        }
    }
}
#endif
