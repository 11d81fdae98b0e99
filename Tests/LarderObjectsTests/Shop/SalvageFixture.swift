#if Objects
import Foundation
import GRDB
import LarderTesting

@testable import LarderObjects

/// A shop database with small pages, so that a short file has deep trees, overflow pages, free pages and a log.
struct SalvageFixture {
    /// The bytes of the database file and of its log.
    var database: [UInt8]
    var log: [UInt8]
    /// The bytes of the database before its last transaction.
    let older: [UInt8]

    /// A row's values by column name, as read by SQLite.
    typealias Row = [String: ColumnValue]

    /// Creates a database.
    ///
    /// - Parameters:
    ///   - seed: The seed that determines the content.
    ///   - orders: The number of orders. The numbers of items, customers and tags are proportional to it. The last
    ///     transaction adds a sixth.
    ///   - pageSize: The page size in bytes.
    ///   - hasLog: Whether only the log contains the last changes.
    /// - Throws: An error of SQLite.
    init(seed: UInt64, orders: Int, pageSize: Int = 512, hasLog: Bool = false) throws {
        var random = SeededGenerator(seed: seed)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-salvage-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("shop.sqlite").path
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA page_size = \(pageSize)")
            try database.execute(sql: "PRAGMA secure_delete = \(seed % 2 == 0 ? "ON" : "OFF")")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        func bytes(_ suffix: String = "") throws -> [UInt8] {
            try Array(Data(contentsOf: URL(fileURLWithPath: path + suffix)))
        }
        older = try queue.writeWithoutTransaction { database in
            try StoredSchema.create(Shop.model.resolved().frozen(), StatementCache(database))
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            // As in files that Larder writes, no trigger adds to larder_save, whose rows would fill the free pages.
            try database.execute(
                sql:
                    "CREATE TEMP TRIGGER unrecorded BEFORE INSERT ON larder_save BEGIN SELECT RAISE(IGNORE); END"
            )
            try database.inTransaction {
                try Self.fill(database, orders: orders, &random)
                return .commit
            }
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            // No other connection has the file open, so reading the file releases no locks.
            let older = try bytes()
            try database.inTransaction {
                try Self.fill(database, orders: orders / 6, &random)
                try database.execute(
                    sql:
                        "UPDATE \"Order\" SET status = 'sent' WHERE objectID % 13 = 0; UPDATE Tag SET name = name || '!' WHERE objectID % 9 = 2"
                )
                try database.execute(
                    sql: "DELETE FROM Item WHERE objectID % 7 = 3; DELETE FROM Tag WHERE objectID % 5 = 1"
                )
                try database.execute(sql: "DELETE FROM \"Order.tags\" WHERE target NOT IN (SELECT objectID FROM Tag)")
                try database.execute(sql: "UPDATE \"Order\" SET quantity = quantity + 1 WHERE objectID % 11 = 0")
                return .commit
            }
            if !hasLog { try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            return older
        }
        // Closing would empty the log.
        (database, log) = (try bytes(), try bytes("-wal"))
        try queue.close()
    }

    /// Adds orders with new items, customers and tags.
    private static func fill(_ database: Database, orders: Int, _ random: inout SeededGenerator) throws {
        let statements = StatementCache(database)
        var id =
            try tables.compactMap { table in
                try statements.integers("SELECT ifnull(max(objectID), 0) FROM \(table.quotedIdentifier)").max()
            }.max() ?? 0
        func next() -> Int64 {
            id += 1
            return id
        }
        var customers: [Int64] = []
        var tags: [Int64] = []
        for _ in 0..<orders {
            if customers.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
                customers.append(next())
                try insert(
                    "Customer",
                    id,
                    [
                        "name": .text(text(&random)),
                        "nickname": Bool.random(using: &random) ? .null : .text("Ñ \(id)"),
                        "age": .integer(Int64.random(in: 0..<100, using: &random)),
                        "boss": customers.count > 2 ? .integer(customers[0]) : .null,
                    ],
                    statements
                )
            }
            if tags.isEmpty || Int.random(in: 0..<3, using: &random) == 0 {
                tags.append(next())
                try insert("Tag", id, ["name": .text("tag \(id)")], statements)
            }
            let order = next()
            try insert(
                "Order",
                order,
                [
                    "siteID": .integer(1), "number": .integer(order), "status": .text("paid"),
                    "total": Decimal(Int.random(in: 0..<1_000, using: &random)).columnValue,
                    "note": Bool.random(using: &random) ? .null : .text(text(&random)),
                    "placedAt": .real(Double.random(in: 0..<1e9, using: &random).rounded()),
                    "quantity": .integer(order % 9),
                    "customer": .integer(customers.randomElement(using: &random) ?? 1),
                ],
                statements
            )
            try statements.run(
                "INSERT INTO \"Order.tags\" (source, target) VALUES (?, ?)",
                [.integer(order), .integer(tags.randomElement(using: &random) ?? 2)]
            )
            for position in 0..<Int.random(in: 0..<4, using: &random) {
                try insert(
                    "Item",
                    next(),
                    [
                        "name": .text(text(&random)),
                        "quantity": .integer(Int64.random(in: .min ... .max, using: &random)),
                        "order": .integer(order), "order.position": .integer(Int64(position)),
                    ],
                    statements
                )
            }
        }
        try statements.run("UPDATE larder_sequence SET next = ?", [.integer(id + 4_096)])
    }

    /// Returns a random string, which sometimes needs overflow pages.
    private static func text(_ random: inout SeededGenerator) -> String {
        let length = Int.random(in: 0..<12, using: &random) == 0 ? 2_000 : 60
        return String(
            (0..<Int.random(in: 0..<length, using: &random)).map { _ in
                "abcdefghijé€".randomElement(using: &random) ?? "a"
            }
        )
    }

    private static func insert(_ table: String, _ id: Int64, _ values: Row, _ statements: StatementCache) throws {
        let columns = values.keys.sorted()
        let list = (["objectID"] + columns).map(\.quotedIdentifier).joined(separator: ", ")
        try statements.run(
            "INSERT INTO \(table.quotedIdentifier) (\(list)) VALUES (?\(String(repeating: ", ?", count: columns.count)))",
            [.integer(id)] + columns.map { values[$0] ?? .null }
        )
    }

    var file: PageFile? { PageFile(FileBytes(database), log: log.isEmpty ? nil : FileBytes(log)) }

    /// The names of the entities' tables.
    static let tables = ["Order", "Item", "Customer", "Refund", "Tag"]

    /// Writes the database file and its log.
    func write(to url: URL) throws {
        try Data(database).write(to: url)
        if !log.isEmpty { try Data(log).write(to: URL(fileURLWithPath: url.path + "-wal")) }
    }

    /// Returns the rows of all entities in a database, by their ids.
    static func rows(of database: Database) throws -> [String: [Int64: Row]] {
        var result: [String: [Int64: Row]] = [:]
        for table in tables { result[table] = try rows(of: database, table) }
        return result
    }

    /// Returns all rows of an entity, or only the row with an id.
    static func rows(of database: Database, _ table: String, id: Int64? = nil) throws -> [Int64: Row] {
        let names = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
        let list = names.map(\.quotedIdentifier).joined(separator: ", ")
        let condition = id.map { " WHERE objectID = \($0)" } ?? ""
        let rows = try StatementCache(database).rows("SELECT \(list) FROM \(table.quotedIdentifier)\(condition)") {
            row in
            Row(uniqueKeysWithValues: names.enumerated().map { ($1, row.value(at: $0)) })
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["objectID"]?.integerValue ?? 0, $0) })
    }

    /// Returns the rows, read with SQLite from copies of the files.
    func rows() throws -> [String: [Int64: Row]] { try read { try Self.rows(of: $0) } }

    /// Returns the rows before the last transaction.
    func olderRows() throws -> [String: [Int64: Row]] {
        var older = self
        (older.database, older.log) = (self.older, [])
        return try older.rows()
    }

    /// Returns the result of reading copies of the files with SQLite.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-salvage-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("shop.sqlite")
        try write(to: url)
        let queue = try DatabaseQueue(path: url.path)
        defer { try? queue.close() }
        return try queue.read(body)
    }

    /// Returns the links of the many-to-many relationship, by their row ids.
    static func links(of database: Database) throws -> [Int64: [Int64]] {
        let rows = try StatementCache(database).rows("SELECT rowid, source, target FROM \"Order.tags\"") { row in
            (row.integer(at: 0), [row.integer(at: 1), row.integer(at: 2)])
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Salvages a file to an in-memory database.
    ///
    /// - Returns: The report, the rows of the new database, and the problems that SQLite finds in it.
    static func salvage(_ file: PageFile, model: FrozenModel? = nil) throws -> Salvaged {
        let salvage = try Salvage(file, model: model, path: nil)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        return try queue.writeWithoutTransaction { database in
            let statements = StatementCache(database)
            let report = try salvage.run(statements)
            let doubtful =
                try database.tableExists("larder_in_doubt")
                ? statements.rows("SELECT entity, objectID FROM larder_in_doubt") { row in
                    DoubtfulRow(entity: row.value(at: 0), id: row.integer(at: 1))
                } : []
            var problems = try statements.rows("PRAGMA integrity_check") { "\($0.value(at: 0))" }
            problems.removeAll { $0 == "\(ColumnValue.text("ok"))" }
            problems += try statements.rows("PRAGMA foreign_key_check") { "reference of \($0.value(at: 0))" }
            return Salvaged(
                report: report,
                rows: try rows(of: database),
                links: Set(try links(of: database).values),
                doubtful: doubtful,
                problems: problems
            )
        }
    }

    struct DoubtfulRow: Hashable {
        let entity: ColumnValue
        let id: Int64
    }

    struct Salvaged {
        let report: SalvageReport
        let rows: [String: [Int64: Row]]
        /// The ids of the order and the tag of each link.
        let links: Set<[Int64]>
        let doubtful: [DoubtfulRow]
        let problems: [String]
    }
}
#endif
