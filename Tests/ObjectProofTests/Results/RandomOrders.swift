#if Objects
import Dispatch
import Foundation
import GRDB
import LarderObjects
import LarderTestSupport

/// A random operation on the orders of a shop.
///
/// The tests and their processes compile this file.
struct RandomOrders: Sendable {
    static let names = ["Ada", "Eve", "Bo", "Zoe"]
    static let notes = [nil, "", "gift", "late", "\u{0}"]

    let seed: UInt64

    /// Opens or creates the shop at `path`.
    static func open(_ path: String) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        // The machine may be busy.
        configuration.openingTimeout = .seconds(60)
        configuration.writingTimeout = .seconds(60)
        return try SQLiteStorageManager(
            model: Shop.model,
            url: URL(fileURLWithPath: path),
            configuration: configuration
        )
    }

    /// Changes a few objects in a save, with raw SQL or by a reset.
    ///
    /// - Parameters:
    ///   - manager: The manager of the shop.
    ///   - program: A connection of a program that does not use Larder, which makes some of the changes, or `nil` for none.
    /// - Throws: An error of the manager or of SQLite.
    func save(in manager: SQLiteStorageManager, or program: DatabaseQueue? = nil) async throws {
        var random = SplitMix64(seed: ~seed)
        switch Int.random(in: 0..<100, using: &random) {
        case 0: try manager.reset()
        case 1...5:
            let (quantity, limit) = (Int.random(in: 0..<9, using: &random), Int.random(in: 1...4, using: &random))
            try await manager.write { database in
                try database.execute(
                    sql: """
                        UPDATE "Order" SET quantity = ?, note = 'gift' WHERE objectID IN
                        (SELECT objectID FROM "Order" ORDER BY number LIMIT ?)
                        """,
                    arguments: [quantity, limit]
                )
                try database.execute(
                    sql: "DELETE FROM \"Order\" WHERE quantity = ? AND \(Self.isUnreferenced)",
                    arguments: [(quantity + 1) % 9]
                )
            }
        case 6...8:
            let replacement = Replacement(&random)
            // A program's changes are recorded by other triggers, as insertions.
            if let program, Bool.random(using: &random) {
                try await program.write { try replacement.run($0) }
            } else {
                try await manager.write { try replacement.run($0) }
            }
        default:
            do {
                try await manager.performAndSave { try run($0) }
            } catch is CocoaError {
                // The operation was rolled back on purpose.
            }
        }
    }

    /// The SQL condition for an order that foreign keys don't protect.
    private static let isUnreferenced = """
        objectID NOT IN (SELECT source FROM "Order.tags")
        AND NOT EXISTS (SELECT 1 FROM Item WHERE Item."order" = "Order".objectID)
        """

    /// A replacement of some orders by others with the same id, and a change of a customer, for which some lists are read as a whole.
    private struct Replacement: Sendable {
        let quantity: Int
        let limit: Int
        let age: Int?

        init(_ random: inout SplitMix64) {
            quantity = .random(in: 0..<9, using: &random)
            limit = .random(in: 1...4, using: &random)
            age = Bool.random(using: &random) ? .random(in: 0..<9, using: &random) : nil
        }

        func run(_ database: Database) throws {
            // The sort values of every other order stay the same.
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO "Order"
                    (objectID, siteID, number, status, total, placedAt, quantity, note, customer)
                    SELECT objectID, siteID + 1, number, status, total, placedAt, iif(number % 2, ?, quantity), note, customer
                    FROM "Order" WHERE \(RandomOrders.isUnreferenced) ORDER BY number DESC LIMIT ?
                    """,
                arguments: [quantity, limit]
            )
            guard let age else { return }
            try database.execute(
                sql: "UPDATE Customer SET age = ? WHERE objectID = (SELECT max(objectID) FROM Customer)",
                arguments: [age]
            )
        }
    }

    /// Changes a few objects.
    func run(_ storage: any WritableStorageType) throws {
        var random = SplitMix64(seed: seed)
        try storage.withoutCountingQueries {
            for _ in 0..<Int.random(in: 1...4, using: &random) { try change(storage, &random) }
        }
        if Int.random(in: 0..<50, using: &random) == 0 { throw CocoaError(.userCancelled) }
    }

    private func change(_ storage: any WritableStorageType, _ random: inout SplitMix64) throws {
        let orders = try storage.allObjects(ofType: Order.self)
        let customers = try storage.allObjects(ofType: Customer.self)
        // The number of orders stays around 40.
        let isInsertion = Int.random(in: 0..<80, using: &random) > orders.count + 20
        guard !isInsertion, let order = orders.randomElement(using: &random) else {
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = Int64.random(in: 0..<1_000_000_000, using: &random)
            order.quantity = .random(in: 0..<9, using: &random)
            order.customer = customers.randomElement(using: &random)
            return
        }
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1: order.quantity = .random(in: 0..<9, using: &random)
        case 2, 3: order.note = Self.notes.randomElement(using: &random) ?? nil
        case 4: order.total = Decimal(Int.random(in: -5...5, using: &random)) / 2
        case 5: order.customer = Bool.random(using: &random) ? customers.randomElement(using: &random) : nil
        case 6, 7: try storage.deleteObject(order)
        case 8:
            let item = try storage.insertNewObject(ofType: Item.self)
            item.quantity = .random(in: 0..<6, using: &random)
            order.addToItems(item)
        case 9:
            for item in order.items { item.quantity = .random(in: 0..<6, using: &random) }
        case 10:
            let red = try storage.allObjects(ofType: Tag.self).first
            let tag = try red ?? storage.insertNewObject(ofType: Tag.self)
            tag.name = "red"
            if order.tags.isEmpty { order.addToTags(tag) } else { order.tags = [] }
        case 11:
            let isNew = customers.count < 4
            let customer =
                try isNew ? storage.insertNewObject(ofType: Customer.self) : customers.randomElement(using: &random)
            customer?.name = Self.names.randomElement(using: &random) ?? ""
            customer?.age = .random(in: 0..<9, using: &random)
        case 12:
            let quantity = Int.random(in: 0..<9, using: &random)
            _ = try storage.batchUpdate(
                ofType: Order.self,
                matching: \Order.quantity == quantity,
                set: [.set(\.quantity, to: (quantity + 3) % 9), .set(\.note, to: "late")]
            )
        case 13:
            let number = Int64.random(in: 0..<1_000_000_000, using: &random)
            _ = try storage.batchDelete(
                ofType: Order.self,
                matching: \Order.number > number && \Order.number < number + 100_000_000
            )
        case 14: try upsert(storage, orders, &random)
        case 15: try sync(storage, orders, &random)
        case 16: order.customer?.boss = Bool.random(using: &random) ? customers.randomElement(using: &random) : nil
        default: order.siteID += 1
        }
    }

    /// The values of an order in another system.
    private struct Received {
        let number, site: Int64
        let quantity: Int
        let note: String?

        /// Creates random values of an order, or of a new one.
        init(of order: Order?, _ random: inout SplitMix64, quantity: Int? = nil) {
            number = order?.number ?? .random(in: 0..<1_000_000_000, using: &random)
            site = order?.siteID ?? 1
            self.quantity = quantity ?? .random(in: 0..<9, using: &random)
            note = RandomOrders.notes.randomElement(using: &random) ?? nil
        }

        func update(_ order: Order) {
            (order.number, order.siteID, order.quantity, order.note) = (number, site, quantity, note)
        }
    }

    /// Changes some orders, and inserts one.
    private func upsert(
        _ storage: any WritableStorageType,
        _ orders: [Order],
        _ random: inout SplitMix64
    ) throws {
        if Bool.random(using: &random) {
            let known = orders.shuffled(using: &random).prefix(2).map { Received(of: $0, &random) }
            let values = known + [Received(of: nil, &random)]
            try storage.upsert(values, into: Order.self, by: \.number, key: \.number) { $1.update($0) }
        } else {
            // The order with this quantity takes the place of another one, which is deleted.
            let value = Received(of: orders.randomElement(using: &random), &random)
            try storage.upsert([value], into: Order.self, by: \.quantity, key: \.quantity) { $1.update($0) }
        }
    }

    /// Makes the orders of one quantity match some of them and a new one.
    private func sync(_ storage: any WritableStorageType, _ orders: [Order], _ random: inout SplitMix64) throws {
        let quantity = Int.random(in: 0..<9, using: &random)
        let kept = orders.filter { $0.quantity == quantity }.shuffled(using: &random).dropLast(2)
        let values = (kept.map(Optional.some) + [nil]).map { Received(of: $0, &random, quantity: quantity) }
        try storage.sync(values, into: Order.self, scope: \Order.quantity == quantity, by: \.number, key: \.number) {
            $1.update($0)
        }
    }
}
#endif
