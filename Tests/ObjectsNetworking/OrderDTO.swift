// What a module for the network has: plain structs, and no idea of storage.
import Foundation

public struct OrderDTO: Sendable, Equatable, Codable {
    public var siteID: Int64
    public var orderID: Int64
    public var status: StatusDTO
    public var total: Decimal
    public var note: String?
    public var items: [OrderItemDTO]
    public var address: AddressDTO?

    public init(
        siteID: Int64,
        orderID: Int64,
        status: StatusDTO,
        total: Decimal,
        note: String?,
        items: [OrderItemDTO],
        address: AddressDTO?
    ) {
        self.siteID = siteID
        self.orderID = orderID
        self.status = status
        self.total = total
        self.note = note
        self.items = items
        self.address = address
    }
}

public enum StatusDTO: String, Sendable, Codable {
    case pending, paid
}

public struct OrderItemDTO: Sendable, Equatable, Codable {
    public var itemID: Int64
    public var name: String
    public var taxes: [TaxDTO]

    public init(itemID: Int64, name: String, taxes: [TaxDTO]) {
        self.itemID = itemID
        self.name = name
        self.taxes = taxes
    }
}

public struct TaxDTO: Sendable, Equatable, Codable {
    public var rate: Decimal

    public init(rate: Decimal) { self.rate = rate }
}

public struct AddressDTO: Sendable, Equatable, Codable {
    public var city: String

    public init(city: String) { self.city = city }
}
