#if Objects
import Foundation
import GRDB
import Testing

@testable import LarderObjects

/// Tests that the queries of a list find their rows by id or in an index.
@Suite struct ResultsPlanTests {
    private static let filters: [Filter<Order>?] = [
        nil, \.status == .paid, \.customer?.name == "Ada", \.number > 10 && \.status != .sent,
        Filter(#Predicate { $0.items.contains { $0.order?.note == "x" } }),
        Filter(#Predicate { $0.refund?.order?.note == "x" }),
    ]

    private static func steps(of query: ResultsPlan.Query, _ database: Database) throws -> [String] {
        try StatementCache(database).rows("EXPLAIN QUERY PLAN \(query.sql)", query.values) { row in
            if case .text(let step) = row.value(at: 3) { step } else { "" }
        }
    }

    private static func plan(
        _ filter: Filter<Order>?,
        sortedBy sort: [SortDescriptor<Order>] = [SortDescriptor(\.siteID), SortDescriptor(\.number)],
        _ manager: SQLiteStorageManager
    ) throws -> ResultsPlan {
        try ResultsPlan(ObjectRequest(filter, sortedBy: sort), sectionBy: nil, in: manager.viewObjects)
    }

    private func withOrders(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let customers = try ["Ada", "Eve"].map { name in
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.name = name
                    return customer
                }
                for number in 1...40 as ClosedRange<Int64> {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = number
                    order.status = Status.allCases[Int(number) % 3]
                    order.note = number % 4 == 0 ? nil : "note \(number % 5)"
                    order.placedAt = Date(timeIntervalSinceReferenceDate: Double(number % 7))
                    order.customer = customers[Int(number) % 2]
                }
            }
            try await body(manager)
        }
    }

    @Test func changedObjectsAreFoundByID() async throws {
        try await withOrders { manager in
            for isAnalyzed in [false, true] {
                if isAnalyzed { try await manager.write { try $0.execute(sql: "ANALYZE") } }
                for (number, filter) in Self.filters.enumerated() {
                    let plan = try Self.plan(filter, manager)
                    for ids in [[7], Array(1...30)] as [[Int64]] {
                        let steps = try manager.reading { try Self.steps(of: plan.objects(ids), $0) }
                        let own = steps.filter { $0.contains(" t0 ") || $0.hasSuffix(" t0") }
                        #expect(own == ["SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)"], "\(number): \(steps)")
                        #expect(steps.first?.contains(ids.count == 1 ? "t0" : "changed") == true, "\(number): \(steps)")
                    }
                }
            }
        }
    }

    @Test func queryForChangedObjectsReturnsThoseInList() async throws {
        try await withOrders { manager in
            for filter in Self.filters {
                let plan = try Self.plan(filter, manager)
                let ids = try manager.reading { database in
                    let statements = StatementCache(database)
                    let all = plan.all(limit: nil)
                    let listed = try statements.integers(all.sql, all.values)
                    let changed = plan.objects(Array(1...20))
                    let some = try statements.integers(changed.sql, changed.values)
                    #expect(Set(some) == Set(listed).intersection(1...20))
                    return listed
                }
                let fetched = try manager.viewStorage.objects(
                    ObjectRequest(filter, sortedBy: [SortDescriptor(\Order.siteID), SortDescriptor(\.number)])
                )
                #expect(ids == fetched.map(\.objectID.rowID))
            }
        }
    }

    @Test func objectsBehindAnotherAreFoundInIndex() async throws {
        try await withOrders { manager in
            let plan = try Self.plan(nil, manager)
            let queries = plan.objects(behind: 9, [.integer(1), .integer(3)], limit: 4)
            #expect(queries.count == 3)
            for query in queries {
                let steps = try manager.reading { try Self.steps(of: query, $0) }
                #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH t0 USING"), "\(steps)")
            }
        }
    }

    @Test(arguments: [SortOrder.forward, .reverse], [SortOrder.forward, .reverse])
    func objectsBehindAnotherAreTheNextOnes(_ first: SortOrder, _ second: SortOrder) async throws {
        try await withOrders { manager in
            let sort = [SortDescriptor(\Order.note, order: first), SortDescriptor(\Order.placedAt, order: second)]
            let plan = try Self.plan(\.number > 3, sortedBy: sort, manager)
            try manager.reading { database in
                let statements = StatementCache(database)
                let all = plan.all(limit: nil)
                let rows = try statements.rows(all.sql, all.values) {
                    ($0.integer(at: 0), [$0.value(at: 1), $0.value(at: 2)])
                }
                for (place, row) in rows.enumerated() {
                    var behind: [Int64] = []
                    for query in plan.objects(behind: row.0, row.1, limit: 5) {
                        behind += try statements.integers(query.sql, query.values)
                    }
                    #expect(Array(behind.prefix(5)) == rows.dropFirst(place + 1).prefix(5).map(\.0))
                }
            }
        }
    }
}
#endif
