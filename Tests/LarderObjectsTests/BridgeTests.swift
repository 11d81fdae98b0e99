#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import ObjectsNetworking
import Testing

// These entities convert to structs whose module does not import Larder.
@Entity(unique: [["siteID", "orderID"]], bridges: OrderDTO.self)
final class StorageOrder {
    var siteID: Int64
    var orderID: Int64
    var status: StatusDTO = .pending
    var total: Decimal = 0
    var note: String?
    @Relationship(deleteRule: .cascade, inverse: \StorageOrderItem.order, ordered: true) var items: [StorageOrderItem]
    @Relationship(deleteRule: .cascade, inverse: \StorageAddress.order) var address: StorageAddress?
    @Attribute(.unbridged) var isRead = false
}

@Entity(bridges: OrderItemDTO.self)
final class StorageOrderItem {
    @Attribute(.unique) var itemID: Int64
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \StorageTax.item, ordered: true) var taxes: [StorageTax]
    @Relationship var order: StorageOrder?
}

@Entity(bridges: TaxDTO.self)
final class StorageTax {
    var rate: Decimal = 0
    @Relationship var item: StorageOrderItem?
}

@Entity(bridges: AddressDTO.self)
final class StorageAddress {
    var city: String = ""
    @Relationship var order: StorageOrder?
}

/// Tests that `@Entity(bridges:)` and `@Persistable` generate conversions between structs and objects.
@Suite(.expectsIssues(.repeatedQuery)) struct BridgeTests {
    private static let model = ObjectModel([
        StorageOrder.self, StorageOrderItem.self, StorageTax.self, StorageAddress.self,
    ])

    private static func order(_ id: Int64, items: [Int64] = [], city: String? = nil) -> OrderDTO {
        OrderDTO(
            siteID: 1,
            orderID: id,
            status: .paid,
            total: Decimal(id) / 4,
            note: id % 2 == 0 ? nil : "note",
            items: items.map {
                OrderItemDTO(itemID: $0, name: "item \($0)", taxes: [TaxDTO(rate: 7), TaxDTO(rate: 19)])
            },
            address: city.map { AddressDTO(city: $0) }
        )
    }

    private func stored(_ manager: SQLiteStorageManager) throws -> [OrderDTO] {
        try manager.viewStorage.allObjects(ofType: StorageOrder.self).map { $0.toReadOnly() }
    }

    @Test func nestedStructRoundTrips() async throws {
        try await withStorage(model: Self.model) { manager in
            let orders = [Self.order(1, items: [10, 11], city: "Ulm"), Self.order(2), Self.order(3, items: [30])]
            let result = try await manager.performAndSave { storage in
                try storage.upsert(orders, by: \StorageOrder.siteID, \StorageOrder.orderID)
            }
            #expect(result.inserted.count == 3)
            #expect(try stored(manager) == orders)
        }
    }

    @Test func syncOfEqualStructsWritesNothing() async throws {
        try await withStorage(model: Self.model) { manager in
            let orders = [Self.order(1, items: [10, 11], city: "Ulm"), Self.order(2)]
            try await manager.performAndSave { _ = try $0.sync(orders, by: \StorageOrder.orderID) }
            let (result, hasChanges) = try await manager.performAndSave { storage in
                (try storage.sync(orders, by: \StorageOrder.orderID), storage.hasChanges)
            }
            #expect(result.unchanged == 2 && !hasChanges)
        }
    }

    @Test func nestedObjectsAreMatchedByUniqueConstraint() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave {
                _ = try $0.sync([Self.order(1, items: [10, 11])], by: \StorageOrder.orderID)
            }
            let before = try manager.viewStorage.allObjects(ofType: StorageOrderItem.self, matching: \.itemID == 11)
            let changed = Self.order(1, items: [11, 12])
            try await manager.performAndSave { _ = try $0.sync([changed], by: \StorageOrder.orderID) }
            #expect(try stored(manager) == [changed])
            let after = try manager.viewStorage.allObjects(ofType: StorageOrderItem.self, matching: \.itemID == 11)
            #expect(before.map(\.objectID) == after.map(\.objectID))
            #expect(try manager.viewStorage.countObjects(ofType: StorageOrderItem.self) == 2)
            #expect(try manager.viewStorage.countObjects(ofType: StorageTax.self) == 4)
        }
    }

    @Test func nestedObjectCanMoveToAnotherOwner() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                _ = try storage.sync([Self.order(1, items: [10]), Self.order(2)], by: \StorageOrder.orderID)
            }
            let moved = [Self.order(1), Self.order(2, items: [10])]
            try await manager.performAndSave { _ = try $0.upsert(moved.reversed(), by: \StorageOrder.orderID) }
            #expect(try stored(manager) == moved)
        }
    }

    @Test func syncDeletesNestedObjectsOfDeletedObject() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                _ = try storage.sync(
                    [Self.order(1, items: [10], city: "Ulm"), Self.order(2, items: [20])],
                    by: \StorageOrder.orderID
                )
            }
            let result = try await manager.performAndSave { storage in
                try storage.sync([Self.order(2, items: [20])], scope: \.siteID == 1, by: \StorageOrder.orderID)
            }
            #expect(result.deleted.count == 1 && result.unchanged == 1)
            #expect(try manager.viewStorage.countObjects(ofType: StorageTax.self) == 2)
            #expect(try manager.viewStorage.countObjects(ofType: StorageAddress.self) == 0)
        }
    }

    @Test func upsertOfNewValueRunsOneQuery() async throws {
        try await withStorage(model: Self.model) { manager in
            let before = manager.queries.total
            let result = try await manager.performAndSave { storage in
                try storage.upsert([Self.order(1)], by: \StorageOrder.siteID, \StorageOrder.orderID)
            }
            #expect(result.inserted.count == 1)
            #expect(manager.queries.total - before == 1)
        }
    }

    /// If several objects have the same key, the one inserted last is kept, and the others are merged into it.
    @Test(arguments: [[5], [5, 6]])
    func upsertMergesDuplicatesIntoLastInsertedObject(upserted: [Int64]) async throws {
        try await withStorage(model: Self.model) { manager in
            let last = try await manager.performAndSave { storage in
                var last: ObjectID?
                for site in [Int64(1), 2] {
                    let order = try storage.insertNewObject(ofType: StorageOrder.self)
                    order.update(with: Self.order(5, items: [10 * site]))
                    order.siteID = site
                    last = order.objectID
                }
                return last
            }
            let result = try await manager.performAndSave { storage in
                try storage.upsert(upserted.map { Self.order($0, city: "Ulm") }, by: \StorageOrder.orderID)
            }
            #expect(result.updated.map(Optional.some) == [last] && result.deleted.count == 1)
            #expect(try stored(manager).first?.address?.city == "Ulm")
            #expect(try manager.viewStorage.countObjects(ofType: StorageOrder.self) == upserted.count)
        }
    }

    @Test func upsertUpdatesUnsavedObject() async throws {
        try await withStorage(model: Self.model) { manager in
            let (first, second) = try await manager.performAndSave { storage in
                let first = try storage.upsert([Self.order(2)], by: \StorageOrder.siteID, \StorageOrder.orderID)
                let changed = Self.order(2, items: [20], city: "Ulm")
                return (first, try storage.upsert([changed], by: \StorageOrder.siteID, \StorageOrder.orderID))
            }
            #expect(first.inserted == second.updated && second.inserted.isEmpty && second.deleted.isEmpty)
            #expect(try stored(manager) == [Self.order(2, items: [20], city: "Ulm")])
        }
    }

    @Test func updateFromStructKeepsUnbridgedProperty() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                _ = try storage.upsert([Self.order(1)], by: \StorageOrder.orderID)
                try storage.firstObject(ofType: StorageOrder.self)?.isRead = true
                _ = try storage.upsert([Self.order(1, items: [1])], by: \StorageOrder.orderID)
            }
            #expect(try manager.viewStorage.firstObject(ofType: StorageOrder.self)?.isRead == true)
        }
    }

    @Test func upsertByKeyMissingFromStructFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try storage.upsert([Self.order(1)], by: \StorageOrder.isRead)
                }
            }
            #expect(error?.code == .unsupportedQuery)
        }
    }

    @Test func persistableStructCanBeStoredAndFetched() async throws {
        try await withStorage(model: ObjectModel([StoredBasket.self, StoredFruit.self, StoredLabel.self])) { manager in
            let basket = Basket(
                id: 7,
                name: "blue",
                fruits: [Fruit(name: "apple", weight: 0.2), Fruit(name: "pear", weight: nil)],
                label: Label(text: "new")
            )
            try await manager.performAndSave { _ = try $0.upsert([basket], by: \StoredBasket.id) }
            let found = try await manager.fetchValues(ObjectRequest<StoredBasket>(\.name == "blue")) { $0.toReadOnly() }
            #expect(found == [basket])
            #expect(try manager.viewStorage.firstObject(ofType: StoredFruit.self)?.basket?.id == 7)
        }
    }
}

@Persistable struct Basket: Equatable {
    @Attribute(.unique) var id: Int
    var name: String
    @Relationship(deleteRule: .cascade, inverse: "basket", ordered: true) var fruits: [Fruit]
    @Relationship(deleteRule: .cascade, inverse: "parent") var label: Label?
    let format = 1
    var isHeavy: Bool { fruits.count > 10 }
}

@Persistable(parent: Basket.self, named: "basket") struct Fruit: Equatable {
    let name: String
    var weight: Double?
}

@Persistable(parent: Basket.self) struct Label: Equatable {
    var text: String
}
#endif
