#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of behaviors 26 to 33, which cover fetches and deletions that an app adds to its storage in extensions.
@Suite(.expectsIssues(.repeatedQuery)) struct StorageExtensionTests {
    /// Inserts orders for two sites, with three items each, without saving.
    ///
    /// Some of the orders have a customer.
    private func fill(_ storage: any WritableStorageType) throws {
        for site in [1, 2] as [Int64] {
            let customer = try storage.insertNewObject(ofType: Customer.self)
            (customer.name, customer.nickname) = ("Ada \(site)", site == 1 ? "Straße" : nil)
            for number in 1...3 as ClosedRange<Int64> {
                let order = try storage.insertNewObject(ofType: Order.self)
                (order.siteID, order.number, order.note) = (site, number, "note \(number)")
                order.customer = number == 3 ? nil : customer
                for name in ["c", "a", "b"] {
                    let item = try storage.insertNewObject(ofType: Item.self)
                    (item.name, item.order) = ("\(name)\(site)\(number)", order)
                }
            }
        }
    }

    /// Checks the unsaved objects in the writer, then the saved objects in the view.
    private func withOrders(
        _ place: Place = .memory,
        change: @escaping @Sendable (any WritableStorageType) throws -> Void = { _ in },
        check: @escaping @Sendable (any StorageType) throws -> Void
    ) async throws {
        try await withStorage(place) { manager in
            try await manager.performAndSave { storage throws in
                try fill(storage)
                try change(storage)
                try check(storage)
            }
            try check(manager.viewStorage)
        }
    }

    // Behavior 26.
    @Test(arguments: Place.allCases) func filteredDeletionKeepsObjectsThatDoNotMatch(_ place: Place) async throws {
        try await withOrders(place) { storage throws in
            #expect(try storage.deleteObjects(ofType: Order.self, matching: \.siteID == 1) == 3)
        } check: { storage throws in
            #expect(try storage.allObjects(ofType: Order.self).map(\.siteID) == [2, 2, 2])
            #expect(try storage.countObjects(ofType: Item.self) == 9)
        }
    }

    // Behavior 27.
    @Test(arguments: Place.allCases) func deletingObjectKeepsOtherObjects(_ place: Place) async throws {
        try await withOrders(place) { storage throws in
            let order = try storage.firstObject(ofType: Order.self, matching: \.siteID == 1 && \.number == 2)
            try storage.deleteObject(try #require(order))
        } check: { storage throws in
            #expect(try storage.allObjects(ofType: Order.self, matching: \.siteID == 1).map(\.number) == [1, 3])
            #expect(try storage.countObjects(ofType: Order.self) == 5)
        }
    }

    // Behavior 28.
    @Test(arguments: Place.allCases) func fetchedObjectsAreNotStale(_ place: Place) async throws {
        try await withOrders(place) { storage throws in
            let stale = \Order.siteID == 1 && !((\Order.number).in([2, 3]))
            #expect(try storage.deleteObjects(ofType: Order.self, matching: stale) == 1)
            let names = ["a21", "b21", "c21"]
            try storage.deleteObjects(ofType: Item.self, matching: \.order?.siteID == 2 && !((\Item.name).in(names)))
        } check: { storage throws in
            #expect(try storage.allObjects(ofType: Order.self, matching: \.siteID == 1).map(\.number) == [2, 3])
            #expect(try storage.countObjects(ofType: Item.self, matching: \.order?.siteID == 2) == 3)
        }
    }

    // Behavior 29.
    @Test(arguments: Place.allCases) func batchDeletionByTwoPropertiesKeepsOtherObjects(
        _ place: Place
    ) async throws {
        try await withOrders(place) { storage throws in
            let scope = \Order.siteID == 1 && \.note == "note 2"
            #expect(try storage.batchDelete(ofType: Order.self, matching: scope) == 1)
        } check: { storage throws in
            #expect(try storage.countObjects(ofType: Order.self, matching: \.note == "note 2") == 1)
            #expect(try storage.countObjects(ofType: Order.self, matching: \.siteID == 1) == 2)
        }
    }

    // Behavior 30.
    @Test(arguments: Place.allCases) func keyPathFilterSelectsObjects(
        _ place: Place
    ) async throws {
        try await withOrders(place) { storage throws in
            #expect(try storage.firstObject(ofType: Item.self, matching: \.name == "b12")?.order?.number == 2)
            let order = try storage.firstObject(ofType: Order.self, matching: \.siteID == 2 && \.number == 3)
            #expect(order?.siteID == 2 && order?.number == 3)
            #expect(try storage.countObjects(ofType: Item.self, matching: \.order?.siteID == 2) == 9)
            #expect(try storage.countObjects(ofType: Item.self, matching: \.order?.customer?.name == "Ada 1") == 6)
        }
    }

    // Behavior 31.
    @Test(arguments: Place.allCases) func fetchedObjectsAreFilteredAndSorted(_ place: Place) async throws {
        try await withOrders(place) { storage throws in
            let orders = try storage.allObjects(
                ofType: Order.self,
                matching: \.siteID == 1,
                sortedBy: [SortDescriptor(\.number, order: .reverse)]
            )
            #expect(orders.map(\.number) == [3, 2, 1])
            let items = try storage.allObjects(
                ofType: Item.self,
                matching: \.order?.siteID == 2 && \.order?.number == 1,
                sortedBy: [SortDescriptor(\.name)]
            )
            #expect(items.map(\.name) == ["a21", "b21", "c21"])
        }
    }

    // Behavior 32.
    @Test(arguments: Place.allCases) func caseInsensitiveFilterMatchesStringProperty(_ place: Place) async throws {
        try await withOrders(place) { storage throws in
            #expect(try storage.firstObject(ofType: Customer.self, matching: \.name =~ "aDA 2")?.name == "Ada 2")
            #expect(try storage.firstObject(ofType: Customer.self, matching: \.name =~ "ada") == nil)
            #expect(try storage.countObjects(ofType: Customer.self, matching: \.nickname =~ "sTRAßE") == 1)
        }
    }

    // Behavior 33.
    @Test(arguments: Place.allCases) func keyPathThroughNilRelationshipDoesNotMatch(
        _ place: Place
    ) async throws {
        try await withOrders(place) { storage throws in
            let hers = try storage.allObjects(ofType: Order.self, matching: \.customer?.name == "Ada 1")
            #expect(hers.map(\.number) == [1, 2])
            let email = "Ada 2"
            let his = try storage.allObjects(ofType: Order.self, matching: #Predicate { $0.customer?.name == email })
            #expect(his.map(\.number) == [1, 2])
            #expect(try storage.countObjects(ofType: Order.self, matching: \.customer?.nickname == nil) == 4)
        }
    }
}
#endif
