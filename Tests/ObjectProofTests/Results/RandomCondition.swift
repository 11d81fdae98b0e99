#if Objects
import Foundation
import LarderObjects
import LarderTestSupport

/// A random condition on orders, as a filter and as a function that is written without the filter.
struct RandomCondition: Sendable {
    let name: String
    let filter: Filter<Order>
    let matches: @Sendable (Order) -> Bool

    private init(_ name: String, _ filter: Filter<Order>, _ matches: @escaping @Sendable (Order) -> Bool) {
        (self.name, self.filter, self.matches) = (name, filter, matches)
    }

    /// Creates a condition that depends only on the generator.
    ///
    /// - Parameters:
    ///   - depth: The maximum number of operators around a comparison.
    ///   - random: The generator.
    init(depth: Int, _ random: inout SplitMix64) {
        guard depth > 0, Bool.random(using: &random) else {
            let isAboutOrder = Bool.random(using: &random)
            self = isAboutOrder ? .ofOrder(&random) : .ofRelated(&random)
            return
        }
        let first = RandomCondition(depth: depth - 1, &random)
        let kind = Int.random(in: 0..<5, using: &random)
        if kind == 0 {
            self.init("not (\(first.name))", !first.filter) { !first.matches($0) }
            return
        }
        let second = RandomCondition(depth: depth - 1, &random)
        if kind < 3 {
            self.init("(\(first.name) and \(second.name))", first.filter && second.filter) {
                first.matches($0) && second.matches($0)
            }
        } else {
            self.init("(\(first.name) or \(second.name))", first.filter || second.filter) {
                first.matches($0) || second.matches($0)
            }
        }
    }

    /// Returns a condition on an order's own attributes.
    private static func ofOrder(_ random: inout SplitMix64) -> RandomCondition {
        let quantity = Int.random(in: 0..<9, using: &random)
        let number = Int64.random(in: 0..<1_000_000_000, using: &random)
        let total = Decimal(Int.random(in: -3...3, using: &random)) / 2
        let note = RandomOrders.notes.randomElement(using: &random) ?? nil
        let text = note ?? "?"
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return Self("quantity < \(quantity)", \.quantity < quantity) { $0.quantity < quantity }
        case 1: return Self("quantity != \(quantity)", \.quantity != quantity) { $0.quantity != quantity }
        case 2: return Self("number >= \(number)", \.number >= number) { $0.number >= number }
        case 3: return Self("total > \(total)", \.total > total) { $0.total > total }
        case 4: return Self("note == \(text)", \.note == note) { $0.note == note }
        case 5: return Self("note != \(text)", \.note != note) { $0.note != note }
        case 6:
            return Self("note < \(text)", \.note < text) { order in
                order.note.map { $0.unicodeScalars.lexicographicallyPrecedes(text.unicodeScalars) } ?? false
            }
        case 7:
            let notes = [note, "late"]
            return Self("note in \(text), late", (\Order.note).in(notes)) { notes.contains($0.note) }
        case 8: return Self("note =~ GIFT", \.note =~ "GIFT") { $0.note?.lowercased() == "gift" }
        default:
            let site = Int64.random(in: 1...4, using: &random)
            return Self("site <= \(site)", \.siteID <= site) { $0.siteID <= site }
        }
    }

    /// Returns a condition on objects that are related to an order.
    private static func ofRelated(_ random: inout SplitMix64) -> RandomCondition {
        let (age, quantity) = (Int.random(in: 0..<9, using: &random), Int.random(in: 0..<6, using: &random))
        let name = RandomOrders.names.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            return Self("customer.age > \(age)", \.customer?.age > age) { order in
                order.customer.map { $0.age > age } ?? false
            }
        case 1: return Self("customer.name == \(name)", \.customer?.name == name) { $0.customer?.name == name }
        case 2: return Self("customer.name != \(name)", \.customer?.name != name) { $0.customer?.name != name }
        case 3: return Self("customer.name == nil", \.customer?.name == nil) { $0.customer == nil }
        case 4:
            return Self("customer.boss.age < \(age)", \.customer?.boss?.age < age) { order in
                order.customer?.boss.map { $0.age < age } ?? false
            }
        case 5:
            return Self("any item > \(quantity)", .any(\.items, \Item.quantity > quantity)) { order in
                order.items.contains { $0.quantity > quantity }
            }
        case 6:
            return Self("all items != \(quantity)", .all(\.items, \Item.quantity != quantity)) { order in
                order.items.allSatisfy { $0.quantity != quantity }
            }
        case 7:
            return Self("at least 2 items", .count(\Order.items, in: 2...1_000)) { $0.items.count >= 2 }
        default:
            return Self("a red tag", .any(\.tags, \Tag.name == "red")) { order in
                order.tags.contains { $0.name == "red" }
            }
        }
    }
}
#endif
