#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests of the queries with which a list reads its objects.
@Suite struct ResultsObjectsTests {
    /// Runs `body` with 120 orders in sections of the given size, which the view has not loaded yet.
    private func withOrders(
        section size: Int,
        prefetch: Bool = false,
        _ body: (SQLiteStorageManager, LiveList<Order>) async throws -> Void
    ) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<120 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    (order.number, order.quantity) = (Int64(number), number / size)
                    order.addToItems(try storage.insertNewObject(ofType: Item.self))
                }
            }
            let list = try await LiveList(
                manager,
                ObjectRequest(sortedBy: [SortDescriptor(\Order.number)], prefetch: prefetch ? [\.items] : []),
                sectionBy: SortDescriptor(\.quantity)
            )
            try await body(manager, list)
        }
    }

    private static func paths(_ snapshot: ResultsSnapshot) -> [ResultsPath] {
        snapshot.sections.indices.flatMap { section in
            snapshot.sections[section].ids.indices.map { ResultsPath(section: section, item: $0) }
        }
    }

    @Test(arguments: [1, 5, 60]) func readingAllSectionsIsNotReported(_ size: Int) async throws {
        try await withOrders(section: size) { manager, list in
            let (numbers, issues) = try await list.read { controller in
                let issues = Box<[LarderIssue]>([])
                let numbers = try withIssueHandler({ issue in issues.update { $0.append(issue) } }) {
                    try controller.snapshot.sections.indices.flatMap { section in
                        try controller.objects(in: section).map(\.number)
                    }
                }
                return (numbers, issues.value)
            }
            #expect(numbers == Array(0..<120))
            #expect(issues.isEmpty)
        }
    }

    @Test func smallSectionsShareQueries() async throws {
        try await withOrders(section: 1) { manager, list in
            let queries = try await list.read { controller in
                try manager.queries.recording {
                    for section in controller.snapshot.sections.indices { _ = try controller.objects(in: section) }
                }
            }
            #expect(queries.count == 3)
        }
    }

    @Test(arguments: [1, 7, 60]) func readingRowsInOrderNeedsFewQueries(_ size: Int) async throws {
        try await withOrders(section: size) { manager, list in
            let numbers = Box<[Int64]>([])
            let queries = try await list.read { controller in
                try manager.queries.recording {
                    for path in Self.paths(controller.snapshot) {
                        let number = try controller.object(at: path).number
                        numbers.update { $0.append(number) }
                    }
                }
            }
            #expect(numbers.value == Array(0..<120))
            #expect(queries.count == 3)
        }
    }

    @Test func readingRowsPrefetchesRelationships() async throws {
        try await withOrders(section: 50, prefetch: true) { manager, list in
            // Some objects are in memory already, but not their items.
            let orders = try await manager.withView { view in
                try view.objects(ObjectRequest<Order>(\.number < 10)).count
            }
            #expect(orders == 10)
            let queries = try await list.read { controller in
                try manager.queries.recording {
                    for path in Self.paths(controller.snapshot) {
                        let items = try controller.object(at: path).items
                        #expect(items.count == 1)
                    }
                }
            }
            // Each of the three pages is a query for orders, and one for items. Orders of two fetches have their items read by two queries.
            #expect(queries.count <= 7)
        }
    }

    @Test func rowInMemoryNeedsNoQuery() async throws {
        try await withOrders(section: 60) { manager, list in
            let order = try await manager.withView { view in
                try view.objects(ObjectRequest<Order>(\.number == 70)).first?.objectID
            }
            let queries = try await list.read { controller in
                let path = try #require(order.flatMap { controller.snapshot.path(of: $0) })
                return try manager.queries.recording {
                    let number = try controller.object(at: path).number
                    #expect(number == 70)
                }
            }
            #expect(queries == [])
        }
    }

    @Test func rowsReadLastStayInMemory() async throws {
        try await withOrders(section: 60) { manager, list in
            let first = ResultsPath(section: 0, item: 0)
            _ = try await list.read { try $0.object(at: first).number }
            try await manager.write { database in
                try database.execute(
                    sql: """
                        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8300)
                        INSERT INTO Tag (objectID, name) SELECT 100000 + i, 'tag ' || i FROM n
                        """
                )
            }
            // The view releases objects that nothing has used between two fetches of many objects.
            for limit in [4_100, 8_300, 1] {
                _ = try await manager.withView { try $0.allObjects(ofType: Tag.self, limit: limit).count }
            }
            let queries = try await list.read { controller in
                try manager.queries.recording { _ = try controller.object(at: first) }
            }
            #expect(queries == [])
        }
    }
}
#endif
