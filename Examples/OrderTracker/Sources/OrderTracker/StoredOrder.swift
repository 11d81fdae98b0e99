import Foundation
import LarderObjects

/// A stored order, which has a local attribute in addition to the server's data.
///
/// Orders of version 3 had notes, which were given up. Their statuses included "packed", which becomes "placed".
@Entity(indexes: [["status", "placedAt"]], dropping: ["note"], bridges: Order.self)
final class StoredOrder {
    @Attribute(.unique) var number: Int64
    @Relationship var customer: StoredCustomer?
    @Attribute(default: OrderStatus.placed) var status: OrderStatus = .placed
    var placedAt: Date = .distantPast
    @Relationship(deleteRule: .cascade, inverse: \StoredOrderLine.order, ordered: true) var lines: [StoredOrderLine]
    @Attribute(.indexed, .unbridged) var placedBy: String?

    /// The server's form of an order contains the name of the customer.
    ///
    /// The macro generates the opposite conversion for everything but the customer, which `Tracker` sets.
    func toReadOnly() -> Order {
        Order(
            number: number,
            customer: customer?.name ?? "",
            status: status,
            placedAt: placedAt,
            lines: lines.map { $0.toReadOnly() }
        )
    }
}

/// A customer, whose name is stored once for all of their orders.
@Entity final class StoredCustomer {
    @Attribute(.unique, .searchable) var name: String
    @Relationship(inverse: \StoredOrder.customer) var orders: [StoredOrder]
}

@Entity(bridges: OrderLine.self)
final class StoredOrderLine {
    var product: String
    var quantity: Int
    var price: Decimal
    @Relationship var order: StoredOrder?
}
