import Foundation

/// An order as the server tells it; knows nothing of storage.
public struct Order: Codable, Sendable, Equatable {
    /// How far it is.
    public enum Status: String, Codable, Sendable, CaseIterable { case placed, packed, sent }

    /// What the server calls it.
    public var number: Int64
    /// Who it is for.
    public var customer: String
    /// How far it is.
    public var status: Status
    /// When it was made.
    public var placedAt: Date
    /// What is in it, in the order of the server.
    public var lines: [OrderLine]

    /// An order.
    public init(number: Int64, customer: String, status: Status = .placed, placedAt: Date, lines: [OrderLine]) {
        self.number = number
        self.customer = customer
        self.status = status
        self.placedAt = placedAt
        self.lines = lines
    }

    /// What it costs.
    public var total: Decimal { lines.reduce(0) { $0 + Decimal($1.quantity) * $1.price } }
}

/// One product of an order.
public struct OrderLine: Codable, Sendable, Equatable {
    /// Its name.
    public var product: String
    /// How many of it.
    public var quantity: Int
    /// What one of it costs.
    public var price: Decimal

    /// A line.
    public init(product: String, quantity: Int, price: Decimal) {
        self.product = product
        self.quantity = quantity
        self.price = price
    }
}
