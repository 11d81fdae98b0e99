#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

/// Tests of the streams of one object's changes and of one property's values.
@Suite struct ObserveTests {
    /// An order in the view, with a stream of its updates.
    private func withOrder(
        _ body: (SQLiteStorageManager, ObjectID, AsyncStream<ObjectUpdate>) async throws -> Void
    ) async throws {
        try await withStorage { manager in
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                order.customer = try storage.insertNewObject(ofType: Customer.self)
                return order.objectID
            }
            let updates = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: id)))
            }
            try await body(manager, id, updates)
        }
    }

    private func change(
        _ id: ObjectID,
        _ manager: SQLiteStorageManager,
        _ body: @escaping @Sendable (Order, any WritableStorageType) throws -> Void
    ) async throws {
        try await manager.performAndSave { storage in
            try body(try #require(try storage.loadObject(ofType: Order.self, with: id)), storage)
        }
    }

    @Test func changedPropertyIsNamed() async throws {
        try await withOrder { manager, id, updates in
            var updates = updates.makeAsyncIterator()
            try await change(id, manager) { order, _ in (order.note, order.quantity) = ("new", 3) }
            #expect(await updates.next() == .changed(["note", "quantity"]))
            try await change(id, manager) { order, _ in order.customer = nil }
            #expect(await updates.next() == .changed(["customer"]))
        }
    }

    @Test func changedRelationshipIsNamed() async throws {
        try await withOrder { manager, id, updates in
            var updates = updates.makeAsyncIterator()
            try await change(id, manager) { order, storage in
                for name in ["a", "b"] {
                    let item = try storage.insertNewObject(ofType: Item.self)
                    item.name = name
                    order.addToItems(item)
                }
            }
            #expect(await updates.next() == .changed(["items"]))
            try await change(id, manager) { order, storage in
                let tag = try storage.insertNewObject(ofType: Tag.self)
                tag.name = "red"
                order.addToTags(tag)
            }
            #expect(await updates.next() == .changed(["tags"]))
            try await change(id, manager) { order, _ in order.items = order.items.reversed() }
            #expect(await updates.next() == .changed(["items"]))
            try await change(id, manager) { order, storage in
                order.refund = try storage.insertNewObject(ofType: Refund.self)
            }
            #expect(await updates.next() == .changed(["refund"]))
            try await change(id, manager) { order, storage in
                let item = try #require(order.items.first)
                try storage.deleteObject(item)
            }
            #expect(await updates.next() == .changed(["items"]))
        }
    }

    @Test func otherObjectIsIgnored() async throws {
        try await withOrder { manager, id, updates in
            var updates = updates.makeAsyncIterator()
            try await manager.performAndSave { storage in
                let other = try storage.insertNewObject(ofType: Order.self)
                other.number = 2
                let item = try storage.insertNewObject(ofType: Item.self)
                other.addToItems(item)
                let tag = try storage.insertNewObject(ofType: Tag.self)
                other.addToTags(tag)
            }
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self, matching: \.number == 2) { order.note = "x" }
                for customer in try storage.allObjects(ofType: Customer.self) { customer.name = "x" }
            }
            try await change(id, manager) { order, _ in order.quantity = 7 }
            #expect(await updates.next() == .changed(["quantity"]))
        }
    }

    /// Returns the number of queries of a save that adds an item to another order, and of its merge.
    private func queriesOfOtherItem(_ number: Int64, _ manager: SQLiteStorageManager) async throws -> Int {
        try await manager.performAndSave { try $0.insertNewObject(ofType: Order.self).number = number }
        let before = manager.queries.total
        try await manager.performAndSave { storage in
            let other = try #require(try storage.allObjects(ofType: Order.self, matching: \.number == number).first)
            other.addToItems(try storage.insertNewObject(ofType: Item.self))
        }
        return manager.queries.total - before
    }

    @Test func itemOfOtherObjectNeedsOneQueryForAllObservers() async throws {
        try await withStorage { manager in
            let ids = try await Orders.insert([1, 2, 3], manager)
            let alone = try await queriesOfOtherItem(8, manager)
            let streams = try await manager.withView { view in
                try view.allObjects(ofType: Order.self, limit: ids.count).map { view.observe($0) }
            }
            #expect(try await queriesOfOtherItem(9, manager) == alone + 1)
            try await change(ids[0], manager) { order, _ in order.quantity = 7 }
            var updates = streams[0].makeAsyncIterator()
            #expect(await updates.next() == .changed(["quantity"]))
        }
    }

    @Test func observedAttributeNeedsNoQueryForRelationships() async throws {
        try await withOrder { manager, id, updates in
            var iterator = updates.makeAsyncIterator()
            let before = manager.queries.total
            let values = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: id)), \.quantity)
            }
            #expect(manager.queries.total == before)
            try await change(id, manager) { order, storage in
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
            }
            #expect(await iterator.next() == .changed(["items"]))
            withExtendedLifetime(values) {}
        }
    }

    @Test func shownRelationshipIsNotReadAgain() async throws {
        try await withOrder { manager, id, _ in
            let queries = try await manager.withView { view in
                let order = try #require(try view.loadObject(ofType: Order.self, with: id))
                return manager.queries.recording {
                    withExtendedLifetime(view.observe(order, \.items.count)) {}
                    withExtendedLifetime(view.observe(order, \.items.first?.name)) {}
                }
            }
            #expect(queries.count == 1)
        }
    }

    @Test func saveThatWasNotMergedWhenObservingIsReported() async throws {
        try await withOrder { manager, id, _ in
            let updates = try await manager.withView { view in
                let order = try #require(try view.loadObject(ofType: Order.self, with: id))
                #expect(order.items.isEmpty)
                // The view's queue is busy, so the save is not merged yet.
                let saved = DispatchSemaphore(value: 0)
                manager.performAndSave(
                    { storage in
                        let order = try #require(try storage.loadObject(ofType: Order.self, with: id))
                        order.addToItems(try storage.insertNewObject(ofType: Item.self))
                    },
                    completion: {},
                    on: .global()
                )
                manager.performAndSave({ _ in _ = saved.signal() }, completion: {}, on: .global())
                saved.wait()
                return view.observe(order)
            }
            var iterator = updates.makeAsyncIterator()
            #expect(await iterator.next() == .changed(["items"]))
        }
    }

    @Test func itemThatLeavesIsReported() async throws {
        try await withOrder { manager, id, updates in
            var iterator = updates.makeAsyncIterator()
            try await Orders.insert([2], manager)
            try await change(id, manager) { order, storage in
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
                order.addToTags(try storage.insertNewObject(ofType: Tag.self))
            }
            #expect(await iterator.next() == .changed(["items", "tags"]))
            // The save changes only the item and the link.
            try await manager.performAndSave { storage in
                let other = try #require(try storage.allObjects(ofType: Order.self, matching: \.number == 2).first)
                for item in try storage.allObjects(ofType: Item.self) { item.order = other }
                for tag in try storage.allObjects(ofType: Tag.self) { tag.orders = [other] }
            }
            #expect(await iterator.next() == .changed(["items", "tags"]))
            try await manager.write { try $0.execute(sql: "UPDATE Item SET \"order\" = ?", arguments: [id.rowID]) }
            #expect(await iterator.next() == .changed(["items"]))
        }
    }

    @Test func deletionIsReported() async throws {
        try await withOrder { manager, id, updates in
            var updates = updates.makeAsyncIterator()
            try await change(id, manager) { order, storage in try storage.deleteObject(order) }
            #expect(await updates.next() == .deleted)
            #expect(await updates.next() == nil)
        }
    }

    @Test func streamsOfDeletedObjectEndAtOnce() async throws {
        try await withOrder { manager, id, _ in
            let view = try #require(manager.viewStorage as? ViewContext)
            let order = try #require(try view.loadObject(ofType: Order.self, with: id))
            try await change(id, manager) { order, storage in try storage.deleteObject(order) }
            let (updates, values) = (view.observe(order), view.observe(order, \.number))
            let received = Box<[String]>([])
            // The tasks run until they wait.
            _ = Task(executorPreference: InlineExecutor()) {
                for await update in updates { received.value.append("\(update)") }
                received.value.append("end")
            }
            _ = Task(executorPreference: InlineExecutor()) {
                for await value in values { received.value.append("\(value)") }
                received.value.append("end")
            }
            #expect(received.value == ["deleted", "end", "1", "end"])
        }
    }

    @Test func resetIsDeletion() async throws {
        try await withOrder { manager, _, updates in
            var updates = updates.makeAsyncIterator()
            try manager.reset()
            #expect(await updates.next() == .deleted)
            #expect(await updates.next() == nil)
        }
    }

    @Test func closingEndsStreams() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        let id = try await manager.performAndSave { storage in
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = 1
            return order.objectID
        }
        let (updates, values) = try await manager.withView { view in
            let order = try #require(try view.loadObject(ofType: Order.self, with: id))
            return (view.observe(order), view.observe(order, \.quantity))
        }
        #expect(try manager.verify().isIntact)
        try manager.close()
        var changes = updates.makeAsyncIterator()
        #expect(await changes.next() == nil)
        var quantities = values.makeAsyncIterator()
        #expect(await quantities.next() == 0)
        #expect(await quantities.next() == nil)
    }

    @Test func keyPathYieldsDifferentValues() async throws {
        try await withOrder { manager, id, _ in
            let values = try await manager.withView { view in
                view.observe(try #require(try view.loadObject(ofType: Order.self, with: id)), \.quantity)
            }
            var quantities = values.makeAsyncIterator()
            #expect(await quantities.next() == 0)
            try await change(id, manager) { order, _ in order.note = "x" }
            try await change(id, manager) { order, _ in order.quantity = 5 }
            #expect(await quantities.next() == 5)
            try await manager.write { try $0.execute(sql: "UPDATE \"Order\" SET quantity = 5, note = 'y'") }
            try await manager.write { try $0.execute(sql: "UPDATE \"Order\" SET quantity = 6") }
            #expect(await quantities.next() == 6)
            try await change(id, manager) { order, storage in try storage.deleteObject(order) }
            #expect(await quantities.next() == nil)
        }
    }

    @Test func keyPathThroughRelationshipFollowsRelatedObject() async throws {
        try await withOrder { manager, id, _ in
            let (values, counts) = try await manager.withView { view in
                let order = try #require(try view.loadObject(ofType: Order.self, with: id))
                return (view.observe(order, \.customer?.name), view.observe(order, \.items.count))
            }
            var names = values.makeAsyncIterator()
            #expect(await names.next() == "")
            try await change(id, manager) { order, _ in order.customer?.name = "Ada" }
            #expect(await names.next() == "Ada")
            try await change(id, manager) { order, _ in order.customer = nil }
            #expect(await names.next() == .some(nil))
            var numbers = counts.makeAsyncIterator()
            #expect(await numbers.next() == 0)
            try await change(id, manager) { order, storage in
                order.addToItems(try storage.insertNewObject(ofType: Item.self))
            }
            #expect(await numbers.next() == 1)
        }
    }
}
#endif
