#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of upserts and syncs of plain values, and writes with raw SQL.
@Suite(.expectsIssues(.repeatedQuery)) struct SyncTests {
    struct Person: Sendable {
        var name: String
        var age: Int
    }

    private let people = [Person(name: "Ada", age: 36), Person(name: "Eve", age: 20), Person(name: "Bob", age: 50)]

    @Test func syncInsertsUpdatesAndDeletes() async throws {
        try await withStorage { manager in
            let people = people
            try await manager.performAndSave { storage in
                try storage.sync(people, into: Customer.self, by: \.name, key: \.name) {
                    $0.name = $1.name; $0.age = $1.age
                }
            }
            let result = try await manager.performAndSave { storage in
                try storage.sync(
                    [people[0], Person(name: "Eve", age: 21), Person(name: "Zoë", age: 1)],
                    into: Customer.self,
                    by: \.name,
                    key: \.name
                ) {
                    $0.name = $1.name; $0.age = $1.age
                }
            }
            #expect(
                result.unchanged == 1 && result.updated.count == 1 && result.inserted.count == 1
                    && result.deleted.count == 1
            )
            let all = try manager.viewStorage.allObjects(ofType: Customer.self, sortedBy: [SortDescriptor(\.name)])
            #expect(all.map(\.age) == [36, 21, 1])
        }
    }

    @Test func syncOfEqualValuesWritesNothing() async throws {
        try await withStorage { manager in
            let people = people
            for round in 0..<2 {
                let hadChanges = try await manager.performAndSave { storage in
                    try storage.sync(people, into: Customer.self, by: \.name, key: \.name) {
                        $0.name = $1.name; $0.age = $1.age
                    }
                    return storage.hasChanges
                }
                #expect(hadChanges == (round == 0))
            }
        }
    }

    @Test func syncDeletesOnlyObjectsInScope() async throws {
        try await withStorage { manager in
            let people = people
            try await manager.performAndSave { storage in
                for person in people {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    (customer.name, customer.age) = (person.name, person.age)
                }
                try storage.sync([Person](), into: Customer.self, scope: \.age > 30, by: \.name, key: \.name) { _, _ in
                }
            }
            #expect(try manager.viewStorage.allObjects(ofType: Customer.self).map(\.name) == ["Eve"])
        }
    }

    @Test func upsertDoesNotDeleteOtherObjects() async throws {
        try await withStorage { manager in
            let people = people
            try await manager.performAndSave { storage in
                for values in [people, [Person(name: "Ada", age: 37)]] {
                    try storage.upsert(values, into: Customer.self, by: \.name, key: \.name) {
                        $0.name = $1.name; $0.age = $1.age
                    }
                }
            }
            #expect(try manager.viewStorage.allObjects(ofType: Customer.self).map(\.age) == [37, 20, 50])
        }
    }

    @Test func rawSQLChangesAreMergedIntoView() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                customer.name = "Ada"
                return customer.objectID
            }
            let customer = try #require(try manager.viewStorage.loadObject(ofType: Customer.self, with: id))
            #expect(customer.reports.isEmpty)
            var changes = manager.changes.makeAsyncIterator()
            try await manager.write { database in
                try database.execute(sql: "UPDATE Customer SET name = 'Eve'")
                try database.execute(
                    sql: "INSERT INTO Customer (objectID, name, age, boss) VALUES (larder_next_id(), 'New', 1, ?)",
                    arguments: [id.rowID]
                )
            }
            #expect(customer.name == "Eve")
            #expect(customer.reports.map(\.name) == ["New"])
            let inserted = try #require(await changes.next()?.inserted.first)
            let next = try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).objectID }
            #expect(next.rowID > inserted.rowID)
        }
    }

    @Test func insertingLargestIDWithRawSQLExhaustsIDs() async throws {
        try await withStorage { manager in
            try await manager.write { database in
                try database.execute(
                    sql: "INSERT INTO Customer (objectID, name, age) VALUES (?, 'Last', 1)",
                    arguments: [Int64.max]
                )
            }
            let error = await #expect(throws: ObjectError.self) {
                // Fewer ids are left in the block that the manager has reserved.
                try await manager.performAndSave { storage in
                    for number in 0..<5_000 { try storage.insertNewObject(ofType: Tag.self).name = "\(number)" }
                }
            }
            #expect(error?.code == .database)
            let count = try manager.viewStorage.countObjects(ofType: Customer.self)
            #expect(count == 1)
        }
    }

    @Test func failedRawSQLChangesNothing() async throws {
        try await withStorage { manager in
            await #expect(throws: Refusal.self) {
                try await manager.write { database in
                    try database.execute(sql: "INSERT INTO Customer (name, age) VALUES ('Lost', 1)")
                    throw Refusal()
                }
            }
            let count = try manager.viewStorage.countObjects(ofType: Customer.self)
            #expect(count == 0)
        }
    }

    @Test func queryExplanationSuggestsIndexOnlyIfMissing() async throws {
        try await withStorage { manager in
            let (scan, search) = try await manager.withView { view in
                (
                    try view.explain(ObjectRequest<Order>(\.quantity == 3)),
                    try view.explain(ObjectRequest<Order>(\.status == .paid))
                )
            }
            #expect(scan.hint != nil)
            #expect(search.hint == nil)
            #expect(search.plan.contains { $0.contains("Order.index.status") })
        }
    }
}
#endif
