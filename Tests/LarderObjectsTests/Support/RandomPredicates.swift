#if Objects
import Foundation
import LarderObjects

/// Generates random predicates that depend only on a seed.
struct RandomPredicates {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1 }

    private mutating func next(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(count))
    }

    private mutating func text() -> String {
        ["", "a", "A", "é", "e\u{301}", "x", "🇫🇷", "%", "_", "abc", "Ada", "red"][next(12)]
    }
    private mutating func maybeText() -> String? { next(4) == 0 ? nil : text() }

    mutating func filter(depth: Int) -> Filter<Order> {
        if depth == 0 || next(3) == 0 { return Filter(leaf()) }
        switch next(3) {
        case 0: return filter(depth: depth - 1) && filter(depth: depth - 1)
        case 1: return filter(depth: depth - 1) || filter(depth: depth - 1)
        default: return !filter(depth: depth - 1)
        }
    }

    private mutating func leaf() -> Predicate<Order> {
        let (number, quantity) = (Int64(next(16)), next(12) - 5)
        let (text, maybe) = (text(), maybeText())
        let total = Decimal(next(16) - 7) / 4
        let date = Date(timeIntervalSinceReferenceDate: Double(next(15)) / 3)
        let status = [Status.pending, .paid, .sent][next(3)]
        let numbers = [number, Int64(next(16))]
        let texts = [maybe, text]
        switch next(22) {
        case 0: return #Predicate { $0.number == number }
        case 1: return #Predicate { $0.quantity < quantity }
        case 2: return #Predicate { $0.total >= total }
        case 3: return #Predicate { $0.placedAt <= date }
        case 4: return #Predicate { $0.status != status }
        case 5: return #Predicate { $0.note == maybe }
        case 6: return #Predicate { $0.note != maybe }
        case 7: return #Predicate { ($0.note ?? text).contains(text) }
        case 8: return #Predicate { $0.note?.starts(with: text) == true }
        case 9: return #Predicate { numbers.contains($0.number) }
        case 10: return #Predicate { texts.contains($0.note) }
        case 11: return #Predicate { $0.customer?.name == text }
        case 12: return #Predicate { $0.customer?.nickname == maybe }
        case 13: return #Predicate { $0.customer?.boss?.nickname != maybe }
        case 14: return #Predicate { ($0.customer?.age ?? quantity) > quantity }
        case 15: return #Predicate { $0.items.contains { $0.quantity > quantity } }
        case 16: return #Predicate { $0.items.allSatisfy { $0.quantity != quantity } }
        case 17: return #Predicate { $0.items.filter { $0.quantity > quantity }.count >= 1 }
        case 18: return #Predicate { $0.tags.contains { $0.name == text } }
        case 19: return #Predicate { $0.tags.count > quantity }
        case 20: return #Predicate { $0.quantity * 3 - quantity > $0.quantity }
        default: return #Predicate { ($0.note ?? "").count == 1 }
        }
    }
}
#endif
