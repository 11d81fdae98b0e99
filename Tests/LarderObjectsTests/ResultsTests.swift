#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of the sequence of a fetch's results, which continues after every save that changes them.
@Suite struct ResultsTests {
    private func insert(_ name: String, _ manager: SQLiteStorageManager) async throws -> ObjectID {
        try await manager.performAndSave { storage in
            let customer = try storage.insertNewObject(ofType: Customer.self)
            customer.name = name
            return customer.objectID
        }
    }

    @Test func resultsAreProducedInitiallyAndAfterChanges() async throws {
        try await withStorage { manager in
            _ = try await insert("Ada", manager)
            var results = manager.results(ObjectRequest<Customer>(sortedBy: [SortDescriptor(\.name)])) { $0.name }
                .makeAsyncIterator()
            #expect(try await results.next() == ["Ada"])
            let eve = try await insert("Eve", manager)
            #expect(try await results.next() == ["Ada", "Eve"])
            try await manager.performAndSave { storage in
                try storage.loadObject(ofType: Customer.self, with: eve)?.name = "Aaa"
            }
            #expect(try await results.next() == ["Aaa", "Ada"])
            try await manager.performAndSave { storage in
                for customer in try storage.allObjects(ofType: Customer.self, matching: \.name == "Ada") {
                    try storage.deleteObject(customer)
                }
            }
            #expect(try await results.next() == ["Aaa"])
        }
    }

    @Test func savesDuringSlowIterationAreCoalesced() async throws {
        try await withStorage { manager in
            var results = manager.results(ObjectRequest<Customer>()) { $0.name }.makeAsyncIterator()
            #expect(try await results.next() == [])
            for name in ["a", "b", "c"] { _ = try await insert(name, manager) }
            #expect(try await results.next() == ["a", "b", "c"])
        }
    }

    @Test func saveOfUnrelatedEntityProducesNoResults() async throws {
        try await withStorage { manager in
            var results = manager.results(ObjectRequest<Customer>(\.age > 10)) { $0.name }.makeAsyncIterator()
            #expect(try await results.next() == [])
            let before = manager.queries.total
            try await manager.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "red" }
            _ = try await insert("young", manager)
            try await manager.performAndSave { storage in
                let old = try storage.insertNewObject(ofType: Customer.self)
                (old.name, old.age) = ("old", 90)
            }
            #expect(try await results.next() == ["old"])
            #expect(manager.queries.total - before <= 2)
        }
    }

    @Test func changeToRelatedObjectProducesResults() async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                return order.objectID
            }
            var results = manager.results(ObjectRequest<Order>()) { $0.items.map(\.name) + $0.tags.map(\.name) }
                .makeAsyncIterator()
            #expect(try await results.next() == [[]])
            try await manager.performAndSave { storage in
                let order = try #require(try storage.loadObject(ofType: Order.self, with: id))
                let item = try storage.insertNewObject(ofType: Item.self)
                item.name = "chair"
                order.addToItems(item)
            }
            #expect(try await results.next() == [["chair"]])
            try await manager.performAndSave { storage in
                let order = try #require(try storage.loadObject(ofType: Order.self, with: id))
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                order.addToTags(tag)
            }
            #expect(try await results.next() == [["chair", "red"]])
        }
    }

    @Test func resetEmptiesResultsAndCloseEndsSequence() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        do {
            _ = try await insert("Ada", manager)
            let copies = Box<[[String]]>([])
            let task = Task {
                for try await names in manager.results(ObjectRequest<Customer>(), { $0.name }) {
                    copies.value.append(names)
                }
            }
            var results = manager.results(ObjectRequest<Customer>()) { $0.name }.makeAsyncIterator()
            #expect(try await results.next() == ["Ada"])
            try manager.reset()
            #expect(try await results.next() == [])
            #expect(try manager.verify().isIntact)
            try manager.close()
            #expect(try await results.next() == nil)
            _ = await task.result
        }
    }

    @Test func transformErrorEndsResults() async throws {
        try await withStorage { manager in
            _ = try await insert("Ada", manager)
            var results = manager.results(ObjectRequest<Customer>()) { _ -> Int in throw Refusal() }.makeAsyncIterator()
            await #expect(throws: Refusal.self) { _ = try await results.next() }
            #expect(try await results.next() == nil)
        }
    }
}
#endif
