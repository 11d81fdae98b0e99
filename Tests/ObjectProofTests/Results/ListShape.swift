#if Objects
import Foundation
import LarderObjects

/// A request for a list of orders, and the same list computed from all orders in Swift.
struct ListShape: Sendable {
    struct Key: Sendable {
        let value: @Sendable (Order) -> ColumnValue
        var isDescending = false
    }

    let name: String
    /// The request without its limit and offset.
    let request: @Sendable () -> ObjectRequest<Order>
    var section: @Sendable () -> SortDescriptor<Order>? = { nil }
    var sectionKey: Key?
    var matches: @Sendable (Order) -> Bool = { _ in true }
    var keys: [Key] = []
    var limit: Int?
    var offset = 0

    var limitedRequest: ObjectRequest<Order> {
        var request = request()
        (request.limit, request.offset) = (limit, offset)
        return request
    }

    /// Returns the ids of the list, by section.
    func list(of orders: [Order]) -> [(value: ColumnValue, ids: [ObjectID])] {
        let keys = (sectionKey.map { [$0] } ?? []) + keys
        let entries = orders.filter(matches).map { order in
            (id: order.objectID, values: keys.map { $0.value(order) })
        }
        let sorted = entries.sorted { first, second in
            for (place, key) in keys.enumerated() where first.values[place] != second.values[place] {
                return (first.values[place] < second.values[place]) != key.isDescending
            }
            return first.id.rowID < second.id.rowID
        }
        var sections: [(value: ColumnValue, ids: [ObjectID])] = sectionKey == nil ? [(.null, [])] : []
        for entry in sorted.dropFirst(offset).prefix(limit ?? .max) {
            if let value = entry.values.first, sectionKey != nil, sections.last?.value != value {
                sections.append((value, []))
            }
            sections[sections.count - 1].ids.append(entry.id)
        }
        return sections
    }

    static let all: [ListShape] = [
        ListShape(name: "all", request: { ObjectRequest() }),
        ListShape(
            name: "number, descending",
            request: { ObjectRequest(sortedBy: [SortDescriptor(\.number, order: .reverse)]) },
            keys: [Key(value: { .integer($0.number) }, isDescending: true)]
        ),
        ListShape(
            name: "small quantities by note, in sections of a quantity",
            request: {
                ObjectRequest(
                    \Order.quantity < 6,
                    sortedBy: [SortDescriptor(\.note, order: .reverse), SortDescriptor(\.total)]
                )
            },
            section: { SortDescriptor(\.quantity) },
            sectionKey: Key(value: { .integer(Int64($0.quantity)) }),
            matches: { $0.quantity < 6 },
            keys: [Key(value: { $0.note.columnValue }, isDescending: true), Key(value: { $0.total.columnValue })]
        ),
        ListShape(
            name: "in sections of a customer's name, descending",
            request: { ObjectRequest(sortedBy: [SortDescriptor(\.quantity)]) },
            section: { SortDescriptor(\.customer?.name, order: .reverse) },
            sectionKey: Key(value: { ($0.customer?.name).columnValue }, isDescending: true),
            keys: [Key(value: { .integer(Int64($0.quantity)) })]
        ),
        ListShape(
            name: "old customers",
            request: { ObjectRequest(\Order.customer?.age > 4, sortedBy: [SortDescriptor(\.total, order: .reverse)]) },
            matches: { ($0.customer?.age ?? 0) > 4 },
            keys: [Key(value: { $0.total.columnValue }, isDescending: true)]
        ),
        ListShape(
            name: "large items",
            request: {
                ObjectRequest(.any(\Order.items, \Item.quantity > 3), sortedBy: [SortDescriptor(\.customer?.age)])
            },
            matches: { $0.items.contains { $0.quantity > 3 } },
            keys: [Key(value: { ($0.customer?.age).columnValue })]
        ),
        ListShape(
            name: "red tags in sections of a note",
            request: { ObjectRequest(.any(\Order.tags, \Tag.name == "red"), sortedBy: [SortDescriptor(\.number)]) },
            section: { SortDescriptor(\.note) },
            sectionKey: Key(value: { $0.note.columnValue }),
            matches: { $0.tags.contains { $0.name == "red" } },
            keys: [Key(value: { .integer($0.number) })]
        ),
        ListShape(
            name: "six after three",
            request: {
                ObjectRequest(sortedBy: [SortDescriptor(\.quantity, order: .reverse), SortDescriptor(\.note)])
            },
            keys: [
                Key(value: { .integer(Int64($0.quantity)) }, isDescending: true), Key(value: { $0.note.columnValue }),
            ],
            limit: 6,
            offset: 3
        ),
        ListShape(
            name: "four in sections of a note",
            request: { ObjectRequest(\Order.quantity > 2, sortedBy: [SortDescriptor(\.number)]) },
            section: { SortDescriptor(\.note) },
            sectionKey: Key(value: { $0.note.columnValue }),
            matches: { $0.quantity > 2 },
            keys: [Key(value: { .integer($0.number) })],
            limit: 4
        ),
    ]
}
#endif
