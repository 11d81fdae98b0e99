#if Objects
import Foundation
import LarderObjects

/// The values of an order that a program may show.
struct OrderContent: Sendable, Equatable {
    let number: Int64
    let site: Int64
    let quantity: Int
    let note: String?
    let total: Decimal
    /// The name of the customer and the quantities of the items, or nothing if related objects are not shown.
    let related: [String]

    init(_ order: Order, withRelated: Bool = false) {
        (number, site, quantity) = (order.number, order.siteID, order.quantity)
        (note, total) = (order.note, order.total)
        related = withRelated ? [order.customer?.name ?? ""] + order.items.map { String($0.quantity) } : []
    }
}

extension ResultsChanges {
    private var moved: Set<ObjectID> { Set(moves.map(\.id)) }

    /// Returns the objects that are not in the list afterward.
    func objectsThatLeave(_ old: ResultsSnapshot) -> [ObjectID] {
        let moved = moved
        return deletions.map { old[$0] }.filter { !moved.contains($0) }
    }

    /// The objects that are new, or whose properties may have changed.
    var objectsToRead: [ObjectID] {
        let moved = moved
        return insertions.map(\.id).filter { !moved.contains($0) }
            + moves.filter { $0.properties?.isEmpty != true }.map(\.id) + updates.map(\.id)
    }
}
#endif
