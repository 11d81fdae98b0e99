#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of concurrent readers and writers, which Scripts/sanitize.sh also runs with ThreadSanitizer.
@Suite struct ConcurrencyTests {
    private static let workers = 8
    private static let rounds = 10

    /// Inserts, updates and deletes orders in several operations, some of which fail.
    ///
    /// At each save, an order's quantity equals the number of its items.
    private func write(_ worker: Int, _ manager: SQLiteStorageManager) async throws {
        for round in 0..<Self.rounds {
            let id = try await manager.performAndSave { storage in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = Int64(worker * 100 + round)
                for _ in 0..<2 { order.addToItems(try storage.insertNewObject(ofType: Item.self)) }
                order.quantity = order.items.count
                return order.objectID
            }
            await #expect(throws: Refusal.self) {
                try await manager.performAndSave { storage in
                    try storage.loadObject(ofType: Order.self, with: id)?.quantity = 0
                    throw Refusal()
                }
            }
            try await manager.performAndSave { storage in
                guard let order = try storage.loadObject(ofType: Order.self, with: id) else { return }
                if let item = order.items.first, round % 2 == 0 { try storage.deleteObject(item) }
                (order.quantity, order.note) = (order.items.count, "round \(round)")
                try storage.batchUpdate(
                    ofType: Order.self,
                    matching: \.objectID == id,
                    set: [.set(\.status, to: .paid)]
                )
            }
        }
    }

    /// Reads with every read method.
    private func read(_ worker: Int, _ manager: SQLiteStorageManager) async throws {
        for round in 0..<Self.rounds {
            switch (worker + round) % 4 {
            case 0:
                // Between a commit and its merge, a list may be newer than its owner.
                let wrong = try await manager.withView { view in
                    try view.allObjects(ofType: Order.self).filter { $0.items.count > 2 || $0.quantity > 2 }.count
                }
                #expect(wrong == 0)
            case 1:
                // This loop runs on the current thread, while the view may merge.
                for order in try manager.viewStorage.allObjects(ofType: Order.self, matching: \.quantity > 0) {
                    #expect(order.note?.hasPrefix("round") != false && order.items.count <= 2)
                }
            case 2:
                let values = try await manager.fetchValues(ObjectRequest<Order>(\.status == .paid)) {
                    ($0.quantity, $0.items.count)
                }
                #expect(values.allSatisfy { $0.0 == $0.1 })
            default:
                #expect(try manager.viewStorage.countObjects(ofType: Item.self) <= 2 * Self.workers * Self.rounds)
            }
        }
    }

    @Test(arguments: Place.allCases) func readersSeeConsistentOrdersDuringConcurrentSaves(_ place: Place) async throws {
        try await withStorage(place) { manager in
            let followed = Task {
                var count = 0
                for await changes in manager.changes { count += changes.inserted.count }
                return count
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<Self.workers {
                    group.addTask { try await write(worker, manager) }
                    group.addTask { try await read(worker, manager) }
                }
                try await group.waitForAll()
            }
            let orders = try manager.viewStorage.allObjects(ofType: Order.self)
            #expect(orders.count == Self.workers * Self.rounds)
            #expect(orders.allSatisfy { $0.status == .paid && $0.items.count == $0.quantity })
            followed.cancel()
        }
    }
}
#endif
