import Foundation
import LarderObjects
import LarderTesting
import OrderTracker
import Testing

/// The files of every version of the program are opened by this one.
@Suite struct UpgradeTests {
    @Test func modelIsFrozen() throws {
        try expectFrozen(Tracker.model, in: Tracker.frozenVersions)
    }

    /// Returns a database of a version with three orders of two customers.
    private func filled(_ version: Int) throws -> FrozenStorage {
        let storage = try FrozenStorage(
            FrozenModel(contentsOf: Tracker.frozenVersions.appending(path: "v\(version).json"))
        )
        var customers: [String: ObjectID] = [:]
        for (number, name, status) in [(1, "Zoë", "placed"), (2, "Eve", "sent"), (3, "Zoë", "packed")] {
            let line = try storage.insert("StoredOrderLine", ["product": "Tea", "quantity": number, "price": 2])
            var links = ["lines": [line]]
            if version >= 3 {
                let customer = try customers[name] ?? storage.insert("StoredCustomer", ["name": name])
                customers[name] = customer
                links["customer"] = [customer]
            }
            try storage.insert("StoredOrder") { order in
                order["number"] = number
                order["status"] = version < 4 || status != "packed" ? status : "placed"
                order["placedAt"] = Date(timeIntervalSinceReferenceDate: Double(number))
                if version < 3 { order["customer"] = name }
                if version < 4 { order["note"] = "ring twice" }
                if version >= 2 { order["placedBy"] = "Kim" }
                for (relationship, ids) in links { try order.set(relationship, to: ids) }
            }
        }
        return storage
    }

    @Test(arguments: 1...4)
    func fileOfEachVersionIsUpgraded(version: Int) throws {
        let manager = try filled(version).migrated(to: Tracker.model)
        let tracker = Tracker(manager)
        let waiting = try tracker.waiting()
        #expect(waiting.map(\.number) == [1, 3] && waiting.map(\.customer) == ["Zoë", "Zoë"])
        #expect(waiting.map(\.status) == [.placed, .placed] && waiting.map(\.total) == [2, 6])
        #expect(try tracker.orders(ofCustomer: "zoe") == [1, 3] && tracker.orders(ofCustomer: "eve") == [2])
        #expect(try tracker.orders(placedBy: "Kim") == (version >= 2 ? [1, 2, 3] : []))
        #expect(try manager.verify().isIntact)
        try manager.close()
    }

    @Test func stageInsertsOneCustomerForEachName() throws {
        let version3 = try FrozenModel(contentsOf: Tracker.frozenVersions.appending(path: "v3.json"))
        let plan = Tracker.plan
        let migrated = try filled(1).migrated(to: version3, plan: plan)
        #expect(try migrated.rows("StoredCustomer") { $0["name"] as String? } == ["Zoë", "Eve"])
        let orders = try migrated.rows("StoredCustomer") { try $0.records("orders").map { $0["number"] as Int? } }
        #expect(orders == [[1, 3], [2]])
        // Version 3 still has the notes.
        #expect(try migrated.rows("StoredOrder") { $0["note"] as String? }.count == 3)
    }
}
