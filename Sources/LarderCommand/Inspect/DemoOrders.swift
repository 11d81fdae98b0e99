#if Command && Inspector && Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects

@Entity final class DemoCustomer {
    @Attribute(.unique) var number: Int64
    var name: String
    var city: String?
    @Relationship(deleteRule: .cascade, inverse: \DemoOrder.customer, ordered: true) var orders: [DemoOrder]
}

@Entity final class DemoOrder {
    @Attribute(.indexed) var date: Date
    var total: Decimal = 0
    var isPaid: Bool = false
    @Relationship var customer: DemoCustomer?
}

/// The database of orders that `make inspect` shows.
struct DemoOrders {
    private let manager: SQLiteStorageManager

    init(in folder: String) throws {
        manager = try SQLiteStorageManager(
            model: ObjectModel([DemoCustomer.self, DemoOrder.self]),
            name: "orders",
            in: URL(filePath: folder),
            // In a command-line program, nothing runs the main queue.
            configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        )
    }

    func close() throws { try manager.close() }

    func fill() throws {
        let names = InspectionDemo.visitors
        try BlockedTask.run { [manager] in
            try await manager.performAndSave { storage in
                for number in 0..<200 {
                    let customer = try storage.insertNewObject(ofType: DemoCustomer.self)
                    customer.number = Int64(number)
                    customer.name = "\(names[number % names.count]) \(number)"
                    customer.city = number.isMultiple(of: 3) ? nil : ["Turin", "Aarhus", "Porto"][number % 3]
                    for index in 0..<number % 7 {
                        let order = try storage.insertNewObject(ofType: DemoOrder.self)
                        order.date = Date(timeIntervalSinceNow: -Double(number * 3_600 + index))
                        order.total = Decimal(number * 7 + index) / 4
                        order.customer = customer
                    }
                }
            }
        }
    }

    /// Adds an order of a customer, or marks one as paid.
    func change(_ number: Int64) throws {
        try BlockedTask.run { [manager] in
            try await manager.performAndSave { storage in
                let unpaid = (\DemoOrder.isPaid) == false
                if number.isMultiple(of: 3),
                    let order = try storage.firstObject(ofType: DemoOrder.self, matching: unpaid)
                {
                    order.isPaid = true
                } else {
                    let order = try storage.insertNewObject(ofType: DemoOrder.self)
                    order.date = Date()
                    order.total = Decimal(number % 97)
                    let customer = (\DemoCustomer.number) == number * 7 % 200
                    order.customer = try storage.firstObject(ofType: DemoCustomer.self, matching: customer)
                }
            }
        }
    }
}
#endif
