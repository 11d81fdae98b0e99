import Dispatch
import Foundation
import LarderObjects
import LarderTesting
import OrderTracker
import OrderTrackerCommand
import Testing

@Suite struct OrderTrackerTests {
    private func order(_ number: Int64, _ customer: String, status: OrderStatus = .placed) -> Order {
        Order(
            number: number,
            customer: customer,
            status: status,
            placedAt: Date(timeIntervalSinceReferenceDate: Double(1_000 - number)),
            lines: (1...2).map { OrderLine(product: "p\($0)", quantity: $0, price: 2) }
        )
    }

    private func withTracker(_ body: (Tracker, SQLiteStorageManager) async throws -> Void) async throws {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "orders"))
        let manager = try SQLiteStorageManager(inMemory: Tracker.model, configuration: configuration)
        try await body(Tracker(manager), manager)
        #expect(try manager.verify().problems.isEmpty)
        try manager.close()
    }

    @Test func waitingOrdersAreListedOldestFirst() async throws {
        try await withTracker { tracker, _ async throws in
            let orders = [order(1, "Ada"), order(2, "Eve"), order(3, "Bob", status: .sent)]
            #expect(try await tracker.receive(orders).inserted.count == 3)
            #expect(try tracker.waiting() == [orders[1], orders[0]])
        }
    }

    @Test func receivingUnchangedOrdersWritesNothing() async throws {
        try await withTracker { tracker, _ in
            _ = try await tracker.receive([order(1, "Ada"), order(2, "Eve")])
            let result = try await tracker.receive([order(2, "Eve"), order(1, "Ada")])
            #expect(result.unchanged == 2 && result.updated.isEmpty && result.deleted.isEmpty)
        }
    }

    @Test func localDataIsKeptWhenServerChangesOrder() async throws {
        try await withTracker { tracker, _ in
            _ = try await tracker.receive([order(1, "Ada"), order(2, "Eve")])
            try await tracker.setPlacedBy("Kim", of: 1)
            let result = try await tracker.receive([order(1, "Ada", status: .sent)])
            #expect(result.updated.count == 1 && result.deleted.count == 1)
            #expect(try tracker.orders(placedBy: "Kim") == [1])
        }
    }

    @Test func customersAreSharedByTheirOrders() async throws {
        try await withTracker { tracker, _ in
            _ = try await tracker.receive([order(1, "Zoë"), order(2, "Eve"), order(3, "Zoë")])
            #expect(try tracker.orders(ofCustomer: "zoe") == [1, 3])
            _ = try await tracker.receive([order(1, "Zoë"), order(2, "Eve"), order(3, "Eve")])
            #expect(try tracker.orders(ofCustomer: "zoe") == [1])
            #expect(try tracker.waiting().map(\.customer) == ["Eve", "Eve", "Zoë"])
        }
    }

    @Test func sendingUnknownOrderMarksNoOrderAsSent() async throws {
        try await withTracker { tracker, _ in
            _ = try await tracker.receive([order(1, "Ada"), order(2, "Eve")])
            await #expect(throws: Tracker.UnknownOrder(number: 9)) { try await tracker.send([1, 9]) }
            #expect(try tracker.waiting().count == 2)
            try await tracker.send([1, 2])
            #expect(try tracker.waiting().isEmpty)
        }
    }

    @Test func listingWaitingOrdersUsesAtMostThreeQueries() async throws {
        try await withTracker { tracker, manager in
            _ = try await tracker.receive((1...200).map { order($0, "customer \($0)") })
            let count = try assertQueries(atMost: 3, of: manager) { try tracker.waiting().count }
            #expect(count == 200)
        }
    }

    @Test func commandLineProgramStoresOrdersInFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "order-tracker-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, json) = (folder.appending(path: "orders.sqlite").path, folder.appending(path: "orders.json"))
        try Data(
            """
            [{"number": 7, "customer": "Zoë", "status": "placed", "placedAt": "2026-11-21T09:30:00Z",
              "lines": [{"product": "Tea", "quantity": 2, "price": 4.5}]}]
            """.utf8
        ).write(to: json)
        #expect(
            try await OrderTrackerCommand.run([file, "receive", json.path]) == [
                "1 new, 0 changed, 0 deleted, 0 unchanged"
            ]
        )
        #expect(try await OrderTrackerCommand.run([file, "waiting"]) == ["7  Zoë  1 product  9"])
        #expect(try await OrderTrackerCommand.run([file, "of", "zoe"]) == ["7"])
        #expect(try await OrderTrackerCommand.run([file, "by", "Kim", "7"]).isEmpty)
        #expect(try await OrderTrackerCommand.run([file, "by", "Kim"]) == ["7"])
        #expect(try await OrderTrackerCommand.run([file, "send", "7"]).isEmpty)
        #expect(try await OrderTrackerCommand.run([file, "waiting"]).isEmpty)
        await #expect(throws: OrderTrackerCommand.Usage.self) {
            _ = try await OrderTrackerCommand.run([file, "dance"])
        }
    }
}
