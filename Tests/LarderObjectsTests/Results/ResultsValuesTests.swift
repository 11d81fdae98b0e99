#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of lists of values, which are made on background threads.
@Suite struct ResultsValuesTests {
    private func insert(
        _ names: [String],
        age: Int = 0,
        boss: ObjectID? = nil,
        _ manager: SQLiteStorageManager
    ) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try names.map { name in
                let customer = try storage.insertNewObject(ofType: Customer.self)
                (customer.name, customer.age) = (name, age)
                customer.boss = try boss.flatMap { try storage.loadObject(ofType: Customer.self, with: $0) }
                return customer.objectID
            }
        }
    }

    private func change(
        _ id: ObjectID,
        _ manager: SQLiteStorageManager,
        _ body: @escaping @Sendable (Customer) -> Void
    ) async throws {
        try await manager.performAndSave { storage in
            body(try #require(try storage.loadObject(ofType: Customer.self, with: id)))
        }
    }

    private static var byName: ObjectRequest<Customer> { ObjectRequest(sortedBy: [SortDescriptor(\.name)]) }

    @Test func firstElementIsCurrentList() async throws {
        try await withStorage { manager in
            let ids = try await insert(["Eve", "Ada"], manager)
            var results = manager.results(Self.byName, sectionBy: nil) { $0.name }.makeAsyncIterator()
            let first = try #require(try await results.next())
            #expect(first.snapshot.values == ["Ada", "Eve"])
            #expect(first.snapshot.count == 2)
            #expect(first.snapshot.value(of: ids[0]) == "Eve")
            #expect(first.changes.isEmpty)
        }
    }

    @Test func onlyChangedObjectsAreMapped() async throws {
        try await withStorage { manager in
            let ids = try await insert(["a", "b", "c", "d"], manager)
            let mapped = Box<[String]>([])
            var results = manager.results(Self.byName, sectionBy: nil) { customer in
                mapped.update { $0.append(customer.name) }
                return customer.name + " \(customer.age)"
            }.makeAsyncIterator()
            _ = try await results.next()
            #expect(mapped.value.sorted() == ["a", "b", "c", "d"])
            mapped.value = []
            try await change(ids[1], manager) { $0.age = 5 }
            _ = try await insert(["e"], manager)
            let next = try #require(try await results.next())
            #expect(next.snapshot.values == ["a 0", "b 5", "c 0", "d 0", "e 0"])
            #expect(mapped.value.sorted() == ["b", "e"])
            #expect(next.changes.updates.map(\.id) == [ids[1]])
            #expect(next.changes.updates.map(\.properties) == [["age"]])
            #expect(next.changes.insertions.map(\.path) == [ResultsPath(section: 0, item: 4)])
        }
    }

    @Test func relatedChangeMapsAgain() async throws {
        try await withStorage { manager in
            let boss = try await insert(["boss"], manager)[0]
            let ids = try await insert(["a", "b"], age: 1, boss: boss, manager)
            let request = ObjectRequest<Customer>(\.age == 1, sortedBy: [SortDescriptor(\.name)])
            var results = manager.results(request, sectionBy: nil) { "\($0.name) of \($0.boss?.name ?? "")" }
                .makeAsyncIterator()
            #expect(try await results.next()?.snapshot.values == ["a of boss", "b of boss"])
            try await change(boss, manager) { $0.name = "Ada" }
            let next = try #require(try await results.next())
            #expect(next.snapshot.values == ["a of Ada", "b of Ada"])
            #expect(next.changes.updates.map(\.id) == ids)
        }
    }

    @Test func relatedObjectInSameListMapsAgain() async throws {
        try await withStorage { manager in
            let boss = try await insert(["boss"], manager)[0]
            _ = try await insert(["a"], boss: boss, manager)
            var results = manager.results(Self.byName, sectionBy: nil) { $0.boss?.name ?? "" }.makeAsyncIterator()
            #expect(try await results.next()?.snapshot.values == ["boss", ""])
            try await change(boss, manager) { $0.name = "chief" }
            #expect(try await results.next()?.snapshot.values == ["chief", ""])
        }
    }

    @Test func saveThatChangesNoValueIsIgnored() async throws {
        try await withStorage { manager in
            let ids = try await insert(["a", "b"], manager)
            var results = manager.results(Self.byName, sectionBy: nil) { $0.name }.makeAsyncIterator()
            _ = try await results.next()
            try await change(ids[0], manager) { $0.age = 9 }
            try await change(ids[1], manager) { $0.name = "c" }
            let next = try #require(try await results.next())
            #expect(next.snapshot.values == ["a", "c"])
            #expect(next.changes.updates.map(\.id) == [ids[1]])
        }
    }

    @Test func slowIteratorReceivesChangesOfAllSaves() async throws {
        try await withStorage { manager in
            let ids = try await insert(["a", "b", "c"], manager)
            var results = manager.results(Self.byName, sectionBy: nil) { "\($0.name) \($0.age)" }.makeAsyncIterator()
            _ = try await results.next()
            try await change(ids[0], manager) { $0.age = 5 }
            try await change(ids[0], manager) { $0.nickname = "A" }
            try await change(ids[1], manager) { $0.age = 7 }
            // Another object with the same id.
            try await manager.write { database in
                try database.execute(sql: "DELETE FROM Customer WHERE objectID = ?", arguments: [ids[2].rowID])
            }
            try await manager.write { database in
                try database.execute(
                    sql: "INSERT INTO Customer (objectID, name, age) VALUES (?, 'd', 9)",
                    arguments: [ids[2].rowID]
                )
            }
            let next = try #require(try await results.next())
            #expect(next.snapshot.values == ["a 5", "b 7", "d 9"])
            #expect(next.changes.updates.map(\.id) == ids)
            #expect(next.changes.updates.map(\.properties) == [["age", "nickname"], ["age"], nil])
        }
    }

    @Test func deletedObjectLeavesList() async throws {
        try await withStorage { manager in
            let ids = try await insert(["a", "b", "c"], manager)
            var results = manager.results(Self.byName, sectionBy: nil) { $0.name }.makeAsyncIterator()
            _ = try await results.next()
            try await manager.performAndSave { storage in
                try storage.deleteObject(try #require(try storage.loadObject(ofType: Customer.self, with: ids[1])))
            }
            let next = try #require(try await results.next())
            #expect(next.snapshot.values == ["a", "c"])
            #expect(next.snapshot.value(of: ids[1]) == nil)
            #expect(next.changes.deletions == [ResultsPath(section: 0, item: 1)])
        }
    }

    @Test func valuesAreDividedIntoSections() async throws {
        try await withStorage { manager in
            let old = try await insert(["a", "b"], age: 90, manager)
            _ = try await insert(["c"], age: 20, manager)
            var results = manager.results(Self.byName, sectionBy: SortDescriptor(\.age)) { $0.name }.makeAsyncIterator()
            let first = try #require(try await results.next()).snapshot
            #expect(first.list.sections.map(\.title) == ["20", "90"])
            #expect((0..<2).map { first.values(in: $0) } == [["c"], ["a", "b"]])
            try await change(old[0], manager) { $0.age = 50 }
            let next = try #require(try await results.next())
            #expect((0..<3).map { next.snapshot.values(in: $0) } == [["c"], ["a"], ["b"]])
            #expect(next.changes.insertedSections.map(\.title) == ["50"])
            #expect(next.changes.moves.map(\.to) == [ResultsPath(section: 1, item: 0)])
        }
    }

    @Test func prefetchedRelationshipMapsAgain() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                return order.objectID
            }
            let request = ObjectRequest<Order>(prefetch: [\.items])
            var results = manager.results(request, sectionBy: nil) { $0.items.map(\.name) }.makeAsyncIterator()
            #expect(try await results.next()?.snapshot.values == [[]])
            try await manager.performAndSave { storage in
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = "chair"
                try #require(try storage.loadObject(ofType: Order.self, with: id)).addToItems(item)
            }
            #expect(try await results.next()?.snapshot.values == [["chair"]])
        }
    }

    @Test func limitedListIsFilledUp() async throws {
        try await withStorage { manager in
            let ids = try await insert(["a", "b", "c", "d"], manager)
            var request = Self.byName
            request.limit = 2
            var results = manager.results(request) { $0.name }.makeAsyncIterator()
            #expect(try await results.next() == ["a", "b"])
            try await change(ids[0], manager) { $0.name = "x" }
            #expect(try await results.next() == ["b", "c"])
        }
    }

    /// Returns the next element of a list's iterator after a save that the view has not merged.
    private func takeNext(
        _ results: inout ValuesUpdates<String>.AsyncIterator,
        afterDeleting names: Set<String>,
        _ manager: SQLiteStorageManager,
        _ queue: DispatchQueue
    ) async throws -> ValuesUpdate<String> {
        queue.suspend()
        defer { queue.resume() }
        manager.performAndSave(
            { storage in
                for customer in try storage.allObjects(ofType: Customer.self) where names.contains(customer.name) {
                    try storage.deleteObject(customer)
                }
            },
            completion: {},
            on: .global()
        )
        // The writer runs this after it has committed the save.
        await withCheckedContinuation { saved in
            manager.performAndSave({ _ in saved.resume() }, completion: {}, on: .global())
        }
        return try #require(try await results.next())
    }

    @Test func objectsThatLaterSaveDeletesDoNotFillList() async throws {
        let queue = DispatchQueue(label: "view")
        let manager = try SQLiteStorageManager(inMemory: Shop.model, configuration: .init(viewQueue: queue))
        let ids = try await insert(["a", "b"], manager)
        _ = try await insert(["c", "d"], age: 1, manager)
        let last = try await insert(["e"], age: 2, manager)
        var request = Self.byName
        request.limit = 2
        var results = manager.results(request, sectionBy: SortDescriptor(\.age)) { $0.name }.makeAsyncIterator()
        #expect(try await results.next()?.snapshot.values == ["a", "b"])
        try await change(ids[0], manager) { $0.age = 9 }
        let next = try await takeNext(&results, afterDeleting: ["c", "d"], manager, queue)
        #expect((0..<next.snapshot.list.sections.count).map { next.snapshot.values(in: $0) } == [["b"], ["e"]])
        #expect(next.snapshot.count == 2)
        #expect(next.changes.deletions == [ResultsPath(section: 0, item: 0)])
        #expect(next.changes.insertedSections.map(\.title) == ["2"])
        #expect(next.changes.insertions.map(\.id) == last)
        // The merge of the later save does not change the list.
        try await change(ids[0], manager) { $0.age = 1 }
        #expect(try await results.next()?.snapshot.values == ["b", "a"])
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func objectThatLaterSaveDeletesDoesNotPushOtherOut() async throws {
        let queue = DispatchQueue(label: "view")
        let manager = try SQLiteStorageManager(inMemory: Shop.model, configuration: .init(viewQueue: queue))
        let ids = try await insert(["b", "c", "d", "e"], manager)
        var request = Self.byName
        (request.limit, request.offset) = (2, 1)
        var results = manager.results(request, sectionBy: nil) { "\($0.name) \($0.age)" }.makeAsyncIterator()
        #expect(try await results.next()?.snapshot.values == ["c 0", "d 0"])
        _ = try await insert(["a"], manager)
        try await change(ids[2], manager) { $0.age = 5 }
        // Without this deletion, "b" and "c" would be in the list.
        let next = try await takeNext(&results, afterDeleting: ["b"], manager, queue)
        #expect(next.snapshot.values == ["c 0", "d 5"])
        #expect(next.changes.updates.map(\.id) == [ids[2]])
        #expect(next.changes.deletions.isEmpty && next.changes.insertions.isEmpty)
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    @Test func batchChangeAndRawSQLArrive() async throws {
        try await withStorage { manager in
            _ = try await insert(["a", "b"], manager)
            var results = manager.results(Self.byName) { $0.name + " \($0.age)" }.makeAsyncIterator()
            #expect(try await results.next() == ["a 0", "b 0"])
            try await manager.performAndSave { storage in
                _ = try storage.batchUpdate(ofType: Customer.self, set: [.set(\.age, to: 3)])
            }
            #expect(try await results.next() == ["a 3", "b 3"])
            try await manager.write { try $0.execute(sql: "UPDATE Customer SET name = 'z' WHERE name = 'a'") }
            #expect(try await results.next() == ["b 3", "z 3"])
            try await manager.performAndSave { storage in
                _ = try storage.batchDelete(ofType: Customer.self, matching: \.name == "b")
            }
            #expect(try await results.next() == ["z 3"])
        }
    }
}
#endif
