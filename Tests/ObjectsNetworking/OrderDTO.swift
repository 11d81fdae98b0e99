// The structs of a networking module, which does not import Larder.
import Foundation

package struct OrderDTO: Sendable, Equatable, Codable {
    package var siteID: Int64
    package var orderID: Int64
    package var status: StatusDTO
    package var total: Decimal
    package var note: String?
    package var items: [OrderItemDTO]
    package var address: AddressDTO?

    package init(
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

package enum StatusDTO: String, Sendable, Codable {
    case pending, paid
}

package struct OrderItemDTO: Sendable, Equatable, Codable {
    package var itemID: Int64
    package var name: String
    package var taxes: [TaxDTO]

    package init(itemID: Int64, name: String, taxes: [TaxDTO]) {
        self.itemID = itemID
        self.name = name
        self.taxes = taxes
    }
}

package struct TaxDTO: Sendable, Equatable, Codable {
    package var rate: Decimal

    package init(rate: Decimal) { self.rate = rate }
}

package struct AddressDTO: Sendable, Equatable, Codable {
    package var city: String

    package init(city: String) { self.city = city }
}
