#if Objects
import Foundation
import LarderObjects
import LarderTestSupport

extension ListShape {
    /// Creates a list whose filter, sort order, sections, limit and offset depend only on a seed.
    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let isFiltered = Int.random(in: 0..<4, using: &random) > 0
        let condition = isFiltered ? RandomCondition(depth: 2, &random) : nil
        let order = (0..<Int.random(in: 0...2, using: &random)).map { _ in RandomKey(&random) }
        let section = Bool.random(using: &random) ? RandomKey(&random) : nil
        let isLimited = Bool.random(using: &random)
        let limit: Int? = isLimited ? Int.random(in: 0...12, using: &random) : nil
        let offset = Bool.random(using: &random) ? Int.random(in: 1...9, using: &random) : 0
        let properties = order.map { $0.name }.joined(separator: ", ")
        let name = """
            random list \(seed) (\(condition?.name ?? "all"), sorted by [\(properties)], \
            divided by \(section?.name ?? "nothing"), limit \(limit ?? -1), offset \(offset))
            """
        self.init(name: name, request: { ObjectRequest(condition?.filter, sortedBy: order.map { $0.descriptor }) })
        if let section {
            self.section = { section.descriptor }
            sectionKey = section.key
        }
        if let condition { matches = condition.matches }
        (keys, self.limit, self.offset) = (order.map { $0.key }, limit, offset)
    }

    /// Returns one of all lists, or as often a random one.
    static func any(seed: UInt64) -> ListShape {
        var random = SplitMix64(seed: seed)
        let known = Bool.random(using: &random) ? all.randomElement(using: &random) : nil
        return known ?? ListShape(seed: random.next())
    }
}

/// A random property by which lists are sorted or divided.
private struct RandomKey: Sendable {
    private enum Property: CaseIterable {
        case number, site, quantity, note, total, customerName, customerAge, bossAge
    }

    private let property: Property
    private let isDescending: Bool

    init(_ random: inout SplitMix64) {
        property = Property.allCases.randomElement(using: &random) ?? .number
        isDescending = Bool.random(using: &random)
    }

    var name: String { "\(property)\(isDescending ? ", descending" : "")" }

    var descriptor: SortDescriptor<Order> {
        let order: SortOrder = isDescending ? .reverse : .forward
        return switch property {
        case .number: SortDescriptor(\.number, order: order)
        case .site: SortDescriptor(\.siteID, order: order)
        case .quantity: SortDescriptor(\.quantity, order: order)
        case .note: SortDescriptor(\.note, order: order)
        case .total: SortDescriptor(\.total, order: order)
        case .customerName: SortDescriptor(\.customer?.name, order: order)
        case .customerAge: SortDescriptor(\.customer?.age, order: order)
        case .bossAge: SortDescriptor(\.customer?.boss?.age, order: order)
        }
    }

    var key: ListShape.Key {
        let property = property
        return ListShape.Key(
            value: { order in
                switch property {
                case .number: order.number.columnValue
                case .site: order.siteID.columnValue
                case .quantity: order.quantity.columnValue
                case .note: order.note.columnValue
                case .total: order.total.columnValue
                case .customerName: (order.customer?.name).columnValue
                case .customerAge: (order.customer?.age).columnValue
                case .bossAge: (order.customer?.boss?.age).columnValue
                }
            },
            isDescending: isDescending
        )
    }
}
#endif
