#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests that batch updates and deletions run few statements, and both contexts merge them.
@Suite struct BatchTests {
    private func withOrders(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { storage in
                let ada = try storage.insertNewObject(ofType: Customer.self)
                ada.name = "Ada"
                let red = try storage.insertNewObject(ofType: Tag.self)
                red.name = "red"
                for number in 0..<10 {
                    let order = try storage.insertNewObject(ofType: Order.self)
                    order.number = Int64(number)
                    order.quantity = number
                    order.items = try (0..<2).map { _ in try storage.insertNewObject(ofType: Item.self) }
                    order.tags = [red]
                    if number < 3 { order.customer = ada }
                    if number == 9 { order.refund = try storage.insertNewObject(ofType: Refund.self) }
                }
            }
            try await body(manager)
        }
    }

    @Test func batchUpdateIsMergedIntoWriterAndView() async throws {
        try await withOrders { manager in
            let view = try manager.viewStorage.allObjects(ofType: Order.self)
            let seen = try await manager.performAndSave { storage in
                let orders = try storage.allObjects(ofType: Order.self)
                let count = try storage.batchUpdate(
                    ofType: Order.self,
                    matching: \.quantity > 6,
                    set: [.set(\.status, to: .sent), .set(\.note, to: "done")]
                )
                return (count, orders.filter { $0.status == .sent }.count)
            }
            #expect(seen.0 == 3 && seen.1 == 3)
            #expect(view.filter { $0.status == .sent && $0.note == "done" }.map(\.number) == [7, 8, 9])
        }
    }

    @Test func batchUpdateRunsOneQueryAndCountsChangedObjects() async throws {
        try await withOrders { manager in
            var changes = manager.changes.makeAsyncIterator()
            let counts = try await manager.performAndSave { storage in
                let queries = try manager.queries.recording {
                    try storage.batchUpdate(ofType: Order.self, set: [.set(\.quantity, to: 3)])
                }
                return (queries.count, try storage.batchUpdate(ofType: Order.self, set: [.set(\.quantity, to: 3)]))
            }
            #expect(counts.0 == 1 && counts.1 == 0)
            let updated = await changes.next()?.updated ?? [:]
            #expect(updated.count == 9 && updated.values.allSatisfy { $0 == ["quantity"] })
        }
    }

    @Test func batchUpdateSavesUnsavedChangesFirst() async throws {
        try await withOrders { manager in
            try await manager.performAndSave { storage in
                try #require(try storage.firstObject(ofType: Order.self)).quantity = 50
                #expect(
                    try storage.batchUpdate(
                        ofType: Order.self,
                        matching: \.quantity == 50,
                        set: [.set(\.note, to: "x")]
                    )
                        == 1
                )
            }
        }
    }

    @Test func rejectedBatchUpdateChangesNothing() async throws {
        try await withOrders { manager in
            try await manager.performAndSave { storage in
                let duplicate = #expect(throws: ObjectError.self) {
                    try storage.batchUpdate(ofType: Order.self, set: [.set(\.number, to: 1)])
                }
                #expect(duplicate?.code == .duplicate)
                let notANumber = #expect(throws: ObjectError.self) {
                    try storage.batchUpdate(ofType: Order.self, set: [.set(\.total, to: .nan)])
                }
                #expect(notANumber?.code == .invalidObjects)
                let relationship = #expect(throws: ObjectError.self) {
                    try storage.batchUpdate(ofType: Order.self, set: [.set(\.customer, to: nil)])
                }
                #expect(relationship?.code == .unsupportedQuery)
            }
            #expect(try manager.viewStorage.allObjects(ofType: Order.self).map(\.number) == Array(0..<10))
        }
    }

    @Test func batchDeletionAppliesDeleteRulesInWriterAndView() async throws {
        try await withOrders { manager in
            let view = manager.viewStorage
            let red = try #require(try view.firstObject(ofType: Tag.self))
            let ada = try #require(try view.firstObject(ofType: Customer.self))
            let orders = try view.allObjects(ofType: Order.self)
            #expect(red.orders.count == 10 && ada.orders.count == 3)
            let left = try await manager.performAndSave { storage in
                let writerRed = try #require(try storage.firstObject(ofType: Tag.self))
                #expect(writerRed.orders.count == 10)
                #expect(try storage.batchDelete(ofType: Order.self, matching: \.number != 2) == 9)
                return writerRed.orders.count
            }
            #expect(left == 1)
            #expect(red.orders.map(\.number) == [2] && ada.orders.map(\.number) == [2])
            #expect(orders.filter(\.isDeleted).count == 9)
            #expect(try view.countObjects(ofType: Item.self) == 2)
            let refund = try #require(try view.firstObject(ofType: Refund.self))
            #expect(refund.order == nil)
        }
    }

    @Test func deniedBatchDeletionChangesNothing() async throws {
        try await withOrders { manager in
            let error = try await manager.performAndSave { storage in
                #expect(throws: ObjectError.self) { try storage.batchDelete(ofType: Customer.self) }
            }
            #expect(error?.problems.count == 3)
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 1)
        }
    }

    @Test func denyRuleAllowsBatchDeletionAfterRelatedObjectsAreDeleted() async throws {
        try await withOrders { manager in
            try await manager.performAndSave { storage in
                try storage.batchDelete(ofType: Order.self)
                #expect(try storage.batchDelete(ofType: Customer.self) == 1)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
        }
    }

    @Test func errorRollsBackPrecedingBatchOperations() async throws {
        try await withOrders { manager in
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    try storage.batchUpdate(ofType: Order.self, set: [.set(\.quantity, to: 0)])
                    try storage.batchDelete(ofType: Order.self)
                    throw Refusal()
                }
            }
            let quantities = try manager.viewStorage.allObjects(ofType: Order.self).map(\.quantity)
            #expect(quantities == Array(0..<10))
        }
    }
}
#endif
