#if Objects
import Foundation
import GRDB
import Testing

@testable import LarderObjects

/// Tests that the upkeep of a list costs as much as the save changes, whatever the length of the list.
@Suite struct UpkeepCostTests {
    /// The changes of one row of `Order`.
    private static func changes(
        _ row: Int64,
        _ columns: [String],
        _ manager: SQLiteStorageManager
    ) throws -> RowChanges {
        let order = try #require(manager.model.entity(named: "Order"))
        var changes = RowChanges(entities: manager.model.entities.count)
        let places = try columns.map { name in try #require(order.columns.firstIndex { $0.name == name }) }
        changes.update(order.index, row, ColumnSet(places))
        return changes
    }

    private static func insert(_ count: Int, _ manager: SQLiteStorageManager) async throws {
        try await manager.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
                    INSERT INTO "Order" ("objectID", "siteID", "number", "status", "total", "placedAt", "quantity")
                    SELECT n, 1, n, 'paid', '1', n % 1000, 0 FROM numbers
                    """,
                arguments: [count]
            )
        }
    }

    /// Returns the steps of the upkeep for a changed sort value, a change of an object that leaves, and a change of another attribute.
    private func steps(_ count: Int) async throws -> [Int] {
        try await withStorage { manager in
            try await Self.insert(count, manager)
            let request = ObjectRequest<Order>(\.status == .paid, sortedBy: [SortDescriptor(\.placedAt)])
            let plan = try ResultsPlan(request, sectionBy: nil, in: manager.viewObjects)
            let upkeep = ResultsUpkeep(plan: plan, queries: manager.queries)
            var list = try manager.reading { try upkeep.list(StatementCache($0)) }
            #expect(list.index.count == count)
            var steps: [Int] = []
            for (column, value) in [("placedAt", "500.5"), ("status", "'sent'"), ("note", "'x'")] {
                try await manager.write {
                    try $0.execute(sql: "UPDATE \"Order\" SET \(column) = \(value) WHERE objectID = 77")
                }
                let changes = try Self.changes(77, [column], manager)
                try manager.reading { database in
                    let statements = StatementCache(database)
                    steps.append(
                        try LarderObjectsTests.steps(on: database) { try upkeep.update(&list, changes, statements) }
                            .steps
                    )
                }
            }
            #expect(list.index.count == count - 1)
            return steps
        }
    }

    @Test func stepsDoNotDependOnSize() async throws {
        let few = try await steps(1_000)
        let many = try await steps(100_000)
        for (few, many) in zip(few, many) { #expect(abs(few - many) * 10 <= few, "\(few), \(many)") }
        #expect(few[0] > 0 && few[1] > 0 && few[2] == 0)
    }

    @Test func relationshipFilterFetchesNoRows() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                for number in 1...20 as ClosedRange<Int64> {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.customer) = (number, customer)
                }
            }
            let request = ObjectRequest<Order>(\.customer?.name == "Ada", sortedBy: [SortDescriptor(\.placedAt)])
            let plan = try ResultsPlan(request, sectionBy: nil, in: manager.viewObjects)
            let upkeep = ResultsUpkeep(plan: plan, queries: manager.queries)
            var list = try manager.reading { try upkeep.list(StatementCache($0)) }
            #expect(list.index.count == 20)
            try await manager.write { try $0.execute(sql: "UPDATE Customer SET name = 'Eve'") }
            let customer = try #require(manager.model.entity(named: "Customer"))
            var changes = RowChanges(entities: manager.model.entities.count)
            changes.update(customer.index, 1, ColumnSet(customer.columns.indices))
            let queries = try manager.queries.recording {
                let difference = try manager.reading { try upkeep.update(&list, changes, StatementCache($0)) }
                #expect(difference.deletions.count == 20)
            }
            #expect(queries.count == 1)
            #expect(queries.allSatisfy { $0.hasPrefix("SELECT t0.\"objectID\", t0.\"placedAt\" FROM ") }, "\(queries)")
        }
    }
}
#endif
