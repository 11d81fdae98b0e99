#if Objects
import Foundation
import GRDB
import LarderObjects
import LarderTesting

/// A file of a shop to which random saves, raw SQL, a second manager and another program write.
final class RandomWrites {
    /// A value that an upsert brings.
    private struct Incoming {
        let number: Int64
        let quantity: Int
    }

    let url: URL
    let manager: SQLiteStorageManager
    private let other: SQLiteStorageManager
    /// A program that uses SQLite without Larder.
    private let program: DatabaseQueue
    /// The number of writes that were made, by their kinds.
    private(set) var counts: [String: Int] = [:]

    init(_ url: URL, _ policy: HistoryPolicy, hasTrigger: Bool) async throws {
        self.url = url
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.history = policy
        manager = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
        configuration.history = .internal
        other = try SQLiteStorageManager(model: Shop.model, url: url, configuration: configuration)
        program = try DatabaseQueue(path: url.path)
        guard hasTrigger else { return }
        try await program.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER older AFTER UPDATE OF quantity ON "Order" BEGIN
                    UPDATE Customer SET age = age + 1 WHERE objectID = new.customer;
                    UPDATE "Order" SET note = 'changed' WHERE objectID = new.objectID; END
                    """
            )
        }
    }

    func close() throws {
        try program.close()
        try other.close()
        try manager.close()
    }

    /// Makes one random write, which may fail.
    func write(_ random: inout SeededGenerator) async throws {
        let kind: String
        let seed = random.next()
        let writer = Int.random(in: 0..<8, using: &random) == 0 ? other : manager
        do {
            switch Int.random(in: 0..<100, using: &random) {
            case 0:
                kind = "reset"
                try writer.reset()
            case 1..<25:
                kind = "raw SQL"
                try await writer.write { database in
                    var random = SeededGenerator(seed: seed)
                    for _ in 0..<Int.random(in: 1...3, using: &random) { try Self.runSQL(database, &random) }
                }
            case 25..<35:
                kind = "another program"
                try await program.write { database in
                    var random = SeededGenerator(seed: seed)
                    for _ in 0..<Int.random(in: 1...3, using: &random) { try Self.runForeignSQL(database, &random) }
                }
            case 35..<50:
                kind = "upsert"
                try await writer.performAndSave { storage in
                    var random = SeededGenerator(seed: seed)
                    try Self.bring(storage, &random)
                }
            default:
                kind = "save"
                try await writer.performAndSave { try RandomOrders(seed: seed).run($0) }
            }
            counts[kind, default: 0] += 1
        } catch is CocoaError {
            counts["rolled back", default: 0] += 1
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            counts["failed", default: 0] += 1
        } catch let error as ObjectError where [.invalidObjects, .duplicate].contains(error.code) {
            counts["failed", default: 0] += 1
        }
    }

    private static func bring(_ storage: any WritableStorageType, _ random: inout SeededGenerator) throws {
        let numbers = try storage.allObjects(ofType: Order.self).map(\.number).filter { $0 % 3 == 0 }
        let values = (numbers + [Int64.random(in: 0..<1_000_000_000, using: &random)]).map {
            Incoming(number: $0, quantity: .random(in: 0..<3, using: &random))
        }
        if Bool.random(using: &random) {
            try storage.upsert(values, into: Order.self, by: \.number, key: \.number) { order, value in
                (order.number, order.quantity) = (value.number, value.quantity)
            }
        } else {
            let names = ["red", "green", "blue", "\u{0}"].filter { _ in Bool.random(using: &random) }
            try storage.sync(names, into: Tag.self, by: \.name, key: \.self) { $0.name = $1 }
            let tags = try storage.allObjects(ofType: Tag.self)
            for order in try storage.allObjects(ofType: Order.self).prefix(5) { order.tags = tags }
        }
        // The order of an ordered relationship changes.
        if let order = try storage.allObjects(ofType: Order.self).randomElement(using: &random) {
            if order.items.count < 3 { order.addToItems(try storage.insertNewObject(ofType: Item.self)) }
            order.items = order.items.shuffled(using: &random)
            order.refund = try storage.firstObject(ofType: Refund.self) ?? storage.insertNewObject(ofType: Refund.self)
        }
    }

    /// Runs a statement that a transaction of raw SQL may contain.
    private static func runSQL(_ database: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 0..<5, using: &random)
        let next = "larder_next_id()"
        let sql: [String] =
            switch Int.random(in: 0..<14, using: &random) {
            case 0: ["UPDATE \"Order\" SET quantity = \(number), note = 'raw' WHERE objectID % 5 = \(number)"]
            case 1:
                [
                    "DELETE FROM \"Order.tags\" WHERE target IN (SELECT objectID FROM Tag WHERE name = 'red')",
                    "INSERT OR REPLACE INTO Tag (objectID, name) VALUES (\(next), 'red')",
                ]
            case 2:
                [
                    "INSERT INTO \"Order.tags\" (source, target) SELECT o.objectID, t.objectID FROM \"Order\" o, Tag t "
                        + "WHERE (o.objectID + t.objectID) % 5 = \(number) ON CONFLICT DO NOTHING"
                ]
            case 3: ["DELETE FROM \"Order.tags\" WHERE (source + target) % 5 = \(number)"]
            case 4: ["DELETE FROM Item WHERE objectID % 5 = \(number)"]
            case 5:
                [
                    "DELETE FROM \"Order.tags\"",
                    "UPDATE OR REPLACE Tag SET name = 'blue' WHERE objectID % 5 = \(number)",
                ]
            case 6:
                [
                    "INSERT INTO \"Order\" (objectID, siteID, number, status, total, placedAt, quantity) "
                        + "SELECT \(next), siteID, number + \(number / 3), 'sent', '1', 0, \(number) FROM \"Order\" LIMIT 2 "
                        + "ON CONFLICT (siteID, number) DO UPDATE SET quantity = excluded.quantity, status = 'paid'"
                ]
            case 7:
                [
                    "SAVEPOINT a", "UPDATE Customer SET age = age + 10", "DELETE FROM Item", "ROLLBACK TO a",
                    "RELEASE a",
                    "UPDATE Customer SET nickname = 'x' WHERE objectID % 5 = \(number)",
                ]
            case 8: ["UPDATE Item SET \"order\" = (SELECT max(objectID) FROM \"Order\") WHERE objectID % 5 = \(number)"]
            case 9:
                ["UPDATE Tag SET objectID = \(next) WHERE objectID NOT IN (SELECT target FROM \"Order.tags\")"]
            case 10:
                [
                    "CREATE TEMP TABLE taken AS SELECT * FROM Refund WHERE objectID % 5 = \(number)",
                    "DELETE FROM Refund WHERE objectID IN (SELECT objectID FROM taken)",
                    "INSERT INTO Refund SELECT * FROM taken",
                    "UPDATE Refund SET amount = '1' WHERE objectID IN (SELECT objectID FROM taken)", "DROP TABLE taken",
                ]
            case 11: ["UPDATE \"Order.tags\" SET target = (SELECT min(objectID) FROM Tag) WHERE source % 5 = \(number)"]
            case 12: ["UPDATE \"Order\" SET quantity = quantity + 1, customer = NULL WHERE objectID % 5 = \(number)"]
            default: ["INSERT INTO Customer (objectID, name, age) VALUES (\(next), 'raw', \(number))"]
            }
        for statement in sql { try database.execute(sql: statement) }
    }

    /// Runs a statement of a program that does not know Larder, and which leaves valid references.
    private static func runForeignSQL(_ database: Database, _ random: inout SeededGenerator) throws {
        let number = Int.random(in: 0..<5, using: &random)
        let sql =
            switch Int.random(in: 0..<11, using: &random) {
            case 0: "UPDATE \"Order\" SET quantity = \(number) WHERE objectID % 5 = \(number)"
            case 1: "INSERT INTO Customer (name, age) VALUES ('foreign', \(number))"
            case 2: "DELETE FROM Item WHERE objectID % 5 = \(number)"
            case 3:
                "INSERT OR IGNORE INTO \"Order.tags\" (source, target) SELECT o.objectID, t.objectID FROM \"Order\" o, Tag t LIMIT 3"
            case 4: "DELETE FROM \"Order.tags\" WHERE (source + target) % 5 = \(number)"
            case 5:
                "INSERT INTO Item (objectID, name, quantity) SELECT 1 + max(next, \(number)), 'foreign', 1 FROM larder_sequence"
            case 7:
                "DELETE FROM \"Order.tags\"; INSERT OR REPLACE INTO Tag (name) VALUES ('red'); "
                    + "UPDATE OR REPLACE Tag SET name = 'blue' WHERE objectID % 5 = \(number)"
            case 8:
                // No trigger tells that the rows existed before.
                "INSERT OR REPLACE INTO Item SELECT * FROM Item WHERE objectID % 5 = \(number); "
                    + "DELETE FROM Item WHERE objectID % 5 = \(number)"
            case 9:
                "INSERT OR REPLACE INTO \"Order.tags\" SELECT * FROM \"Order.tags\" WHERE (source + target) % 5 = \(number); "
                    + "DELETE FROM \"Order.tags\" WHERE (source + target) % 5 = \(number)"
            case 6: "DELETE FROM Tag WHERE objectID NOT IN (SELECT target FROM \"Order.tags\")"
            default: "UPDATE Item SET quantity = quantity + 1, name = 'changed' WHERE objectID % 5 = \(number)"
            }
        try database.execute(sql: sql)
    }
}
#endif
