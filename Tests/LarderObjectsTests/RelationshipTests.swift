#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTesting
import Testing

/// Tests of inverse relationships in memory, delete rules, order, and the number of queries.
///
/// The tests cover behaviors 25, 30 and 33.
@Suite struct RelationshipTests {
    private func makeOrder(_ number: Int64, _ storage: any WritableStorageType) throws -> Order {
        let order = try storage.insertNewObject(ofType: Order.self)
        order.number = number
        return order
    }

    private func makeItem(_ name: String, _ storage: any WritableStorageType) throws -> Item {
        let item = try storage.insertNewObject(ofType: Item.self)
        item.name = name
        return item
    }

    // Behavior 25.
    @Test func relatedObjectIsVisibleImmediatelyAfterAdding() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let order = try makeOrder(1, storage)
                let item = try makeItem("a", storage)
                order.addToItems(item)
                #expect(order.items.count == 1)
                #expect(order.items.first?.objectID == item.objectID)
                #expect(item.order === order)
            }
        }
    }

    @Test(arguments: Place.allCases) func orderedRelationshipKeepsOrder(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                let order = try makeOrder(1, storage)
                order.items = try ["c", "a", "b"].map { try makeItem($0, storage) }
            }
            let order = try #require(try manager.viewStorage.firstObject(ofType: Order.self))
            #expect(order.items.map(\.name) == ["c", "a", "b"])
            try await manager.performAndSave { storage in
                let order = try #require(try storage.firstObject(ofType: Order.self))
                order.items.insert(try makeItem("d", storage), at: 1)
                order.items.append(order.items.removeFirst())
            }
            #expect(order.items.map(\.name) == ["d", "a", "b", "c"])
        }
    }

    @Test func settingRelationshipMovesObjectFromPreviousOwner() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let (first, second) = (try makeOrder(1, storage), try makeOrder(2, storage))
                let item = try makeItem("a", storage)
                item.order = first
                try storage.saveIfNeeded()
                item.order = second
                #expect(first.items.isEmpty)
                #expect(second.items == [item])
                first.items = [item]
                #expect(item.order === first)
                #expect(second.items.isEmpty)
                first.removeFromItems(item)
                #expect(item.order == nil)
            }
            #expect(try manager.viewStorage.firstObject(ofType: Item.self)?.order == nil)
        }
    }

    @Test func oneToOneRelationshipHasAtMostOneObject() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let (first, second) = (try makeOrder(1, storage), try makeOrder(2, storage))
                let refund = try storage.insertNewObject(ofType: Refund.self)
                let other = try storage.insertNewObject(ofType: Refund.self)
                first.refund = refund
                try storage.saveIfNeeded()
                #expect(refund.order === first)
                refund.order = second
                #expect(first.refund == nil && second.refund === refund)
                try storage.saveIfNeeded()
                other.order = second
                #expect(second.refund === other && refund.order == nil)
            }
            let order = try manager.viewStorage.firstObject(ofType: Order.self, matching: \Order.number == 2)
            #expect(order?.refund?.order === order)
        }
    }

    @Test(arguments: Place.allCases) func manyToManyRelationshipUpdatesBothSides(_ place: Place) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                let orders = [try makeOrder(1, storage), try makeOrder(2, storage)]
                let tags = try ["red", "blue"].map { name in
                    let tag = try storage.insertNewObject(ofType: Tag.self)
                    tag.name = name
                    return tag
                }
                orders[0].tags = tags
                tags[1].addToOrders(orders[1])
                #expect(orders[1].tags == [tags[1]])
                try storage.saveIfNeeded()
                orders[0].removeFromTags(tags[0])
                #expect(tags[0].orders.isEmpty)
                try storage.saveIfNeeded()
            }
            let blue = try manager.viewStorage.firstObject(ofType: Tag.self, matching: \Tag.name == "blue")
            #expect(blue?.orders.map(\.number) == [1, 2])
            try await manager.performAndSave { storage in
                let blue = try #require(try storage.firstObject(ofType: Tag.self, matching: \Tag.name == "blue"))
                try storage.deleteObject(blue)
            }
            let order = try manager.viewStorage.firstObject(ofType: Order.self)
            #expect(order?.tags.isEmpty == true)
        }
    }

    @Test func unsavedLinksAppearInRelationshipsReadLater() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let ada = try storage.insertNewObject(ofType: Customer.self)
                for number in 1...3 { try makeOrder(Int64(number), storage).customer = ada }
            }
            try await manager.performAndSave { storage in
                let orders = try storage.allObjects(ofType: Order.self)
                orders[0].customer = nil
                let new = try makeOrder(4, storage)
                let ada = try #require(orders[1].customer)
                new.customer = ada
                try storage.deleteObject(orders[1])
                #expect(ada.orders.map(\.number) == [3, 4])
            }
            #expect(try manager.viewStorage.firstObject(ofType: Customer.self)?.orders.map(\.number) == [3, 4])
        }
    }

    @Test func cascadeRuleDeletesRelatedObjects() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 1...2 {
                    try makeOrder(Int64(number), storage).items = [
                        try makeItem("a", storage), try makeItem("b", storage),
                    ]
                }
            }
            try await manager.performAndSave { storage in
                let order = try #require(try storage.firstObject(ofType: Order.self))
                try storage.deleteObject(order)
                #expect(try storage.countObjects(ofType: Item.self) == 2)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Item.self) == 2)
        }
    }

    @Test func nullifyRuleUnlinksRelatedObjects() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let order = try makeOrder(1, storage)
                order.refund = try storage.insertNewObject(ofType: Refund.self)
                try storage.saveIfNeeded()
                try storage.deleteObject(order)
            }
            let refund = try manager.viewStorage.firstObject(ofType: Refund.self)
            #expect(refund != nil && refund?.order == nil)
        }
    }

    @Test func denyRulePreventsDeletionAndNamesRelationship() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                try makeOrder(1, storage).customer = try storage.insertNewObject(ofType: Customer.self)
            }
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { try $0.deleteAllObjects(ofType: Customer.self) }
            }
            #expect(error?.problems.first?.contains("its relationship orders refers to 1 object") == true)
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 1)
            try await manager.performAndSave { storage in
                try storage.deleteAllObjects(ofType: Customer.self)
                try storage.deleteAllObjects(ofType: Order.self)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
        }
    }

    @Test func relationshipToSameClassIsSupported() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let people = try (0..<3).map { _ in try storage.insertNewObject(ofType: Customer.self) }
                people[0].reports = [people[1], people[2]]
                #expect(people[2].boss === people[0])
            }
            let boss = try manager.viewStorage.firstObject(ofType: Customer.self)
            #expect(boss?.reports.count == 2)
        }
    }

    @Test(arguments: Place.allCases) func readingToManyRelationshipOfThousandObjectsRunsTwoQueries(
        _ place: Place
    ) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage in
                for number in 0..<1_000 {
                    try makeOrder(Int64(number), storage).items = try (0..<3).map { try makeItem("\($0)", storage) }
                }
            }
            var count = 0
            let queries = try manager.queries.recording {
                for order in try manager.viewStorage.allObjects(ofType: Order.self) { count += order.items.count }
            }
            #expect(count == 3_000)
            #expect(queries.count == 2)
        }
    }

    @Test func relatedObjectsOfOneFetchAreReadTogether() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                for number in 0..<50 {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.age = number
                    try makeOrder(Int64(number), storage).customer = customer
                }
            }
            var ages = 0
            let queries = try manager.queries.recording {
                for order in try manager.viewStorage.allObjects(ofType: Order.self) { ages += order.customer?.age ?? 0 }
            }
            #expect(ages == 1_225)
            #expect(queries.count == 2)
        }
    }

    @Test func prefetchReadsRelationshipsTogetherWithFetch() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in try makeOrder(1, storage).items = [try makeItem("a", storage)]
            }
            let orders = try manager.viewStorage.allObjects(ofType: Order.self, prefetch: [\.items, \.customer])
            let queries = manager.queries.recording { _ = orders.map(\.items) }
            #expect(queries.isEmpty)
        }
    }

    /// Runs one query for each order number.
    private func fetchInALoop(_ manager: SQLiteStorageManager) throws {
        for number in 1...3 as ClosedRange<Int64> {
            let filter: Filter<Order> = \Order.number == number
            _ = try manager.viewStorage.firstObject(ofType: Order.self, matching: filter)
        }
    }

    @Test func fetchInLoopFailsQueryAssertion() async throws {
        try await withStorage { manager in
            try assertQueries(atMost: 3, of: manager) { try fetchInALoop(manager) }
            var failure: QueryLimitExceeded?
            do {
                try assertQueries(atMost: 2, of: manager) { try fetchInALoop(manager) }
            } catch let error as QueryLimitExceeded {
                failure = error
            }
            #expect(failure?.queries.count == 3)
        }
    }

    @Test func objectOfAnotherStorageCannotBeLinked() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Customer.self).name = "Ada" }
            try await manager.performAndSave { storage in
                let order = try makeOrder(1, storage)
                let foreign = try #require(try manager.viewStorage.firstObject(ofType: Customer.self))
                withIssueHandler({ _ in }) { order.customer = foreign }
                #expect(order.customer == nil)
            }
        }
    }
}
#endif
