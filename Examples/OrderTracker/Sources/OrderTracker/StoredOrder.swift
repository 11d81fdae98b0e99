import Foundation
import LarderObjects

/// A stored order, which has a local note in addition to the server's data.
@Entity(indexes: [["status", "placedAt"]], bridges: Order.self)
final class StoredOrder {
    @Attribute(.unique) var number: Int64
    @Attribute(.searchable) var customer: String
    var status: Order.Status = .placed
    var placedAt: Date = .distantPast
    @Relationship(deleteRule: .cascade, inverse: \StoredOrderLine.order, ordered: true) var lines: [StoredOrderLine]
    @Attribute(.unbridged) var note: String?
}

@Entity(bridges: OrderLine.self)
final class StoredOrderLine {
    var product: String
    var quantity: Int
    var price: Decimal
    @Relationship var order: StoredOrder?
}
