import Foundation

/// An order in the form in which the server sends it.
///
/// This type does not depend on the storage.
public struct Order: Codable, Sendable, Equatable {
    /// The unique number of the order.
    public var number: Int64
    /// The name of the customer.
    public var customer: String
    /// The current stage of the order's processing.
    public var status: OrderStatus
    /// The date when the order was placed.
    public var placedAt: Date
    /// The ordered products, in the server's order.
    public var lines: [OrderLine]

    /// Creates an order, which is newly placed by default.
    public init(number: Int64, customer: String, status: OrderStatus = .placed, placedAt: Date, lines: [OrderLine]) {
        self.number = number
        self.customer = customer
        self.status = status
        self.placedAt = placedAt
        self.lines = lines
    }

    /// The total price of all lines.
    public var total: Decimal { lines.reduce(0) { $0 + Decimal($1.quantity) * $1.price } }
}

/// The stages of an order's processing, which sort by their names.
public enum OrderStatus: String, Codable, Sendable, CaseIterable, Comparable {
    case placed, sent, returned

    /// Returns whether the name of `first` sorts before the name of `second`.
    public static func < (first: OrderStatus, second: OrderStatus) -> Bool { first.rawValue < second.rawValue }
}

/// A line of an order, which contains one product.
public struct OrderLine: Codable, Sendable, Equatable {
    /// The name of the product.
    public var product: String
    /// The number of ordered pieces.
    public var quantity: Int
    /// The price of one piece.
    public var price: Decimal

    /// Creates an order line for a product.
    public init(product: String, quantity: Int, price: Decimal) {
        self.product = product
        self.quantity = quantity
        self.price = price
    }
}
