#if Objects
import Foundation
import LarderObjects

enum Status: String, Codable, Sendable, CaseIterable {
    case pending, paid, sent
}

struct Address: Codable, Sendable, Equatable {
    var street = ""
    var city = ""
}

@Entity(unique: [["siteID", "number"]], indexes: [["status", "placedAt"]])
final class Order {
    var siteID: Int64 = 1
    var number: Int64
    @Attribute(.indexed) var status: Status = .pending
    var total: Decimal = 0
    var note: String?
    var placedAt: Date = Date(timeIntervalSinceReferenceDate: 0)
    var quantity: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Item.order, ordered: true) var items: [Item]
    @Relationship var customer: Customer?
    @Relationship(inverse: \Refund.order) var refund: Refund?
    @Relationship(inverse: \Tag.orders) var tags: [Tag]
}

@Entity
final class Item {
    var name: String = ""
    var quantity: Int = 1
    @Relationship var order: Order?
}

@Entity
final class Customer {
    var name: String = ""
    var nickname: String?
    var age: Int = 0
    @Relationship(deleteRule: .deny, inverse: \Order.customer) var orders: [Order]
    @Relationship var boss: Customer?
    @Relationship(inverse: \Customer.boss) var reports: [Customer]
}

@Entity
final class Refund {
    var amount: Decimal = 0
    @Relationship var order: Order?
}

@Entity
final class Tag {
    @Attribute(.unique) var name: String = ""
    @Relationship var orders: [Order]
}

enum Shop {
    static let model = ObjectModel([Order.self, Item.self, Customer.self, Refund.self, Tag.self])
}
#endif
