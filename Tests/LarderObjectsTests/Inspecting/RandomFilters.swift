#if Objects
import Foundation
import LarderObjects
import LarderTesting

/// Generates random filters as text, each with a closure that tests an order in Swift.
///
/// The filters depend only on a seed.
struct RandomFilters {
    struct Sample {
        let text: String
        let matches: (Order) -> Bool
    }

    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func next(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func text() -> String {
        ["", "a", "A", "é", "e\u{301}", "x", "🇫🇷", "%", "_", "a\r\nb", "Ada", "red", "\"\\'"][next(13)]
    }

    /// Returns a string literal for a text, in one of several forms.
    private mutating func literal(_ text: String) -> String {
        let quote = next(2) == 0 ? "\"" : "'"
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\", "\"", "'": return "\\\(scalar)"
            case "\r": return "\\r"
            case "\n": return "\\n"
            default: return next(8) == 0 ? "\\u{\(String(scalar.value, radix: 16))}" : "\(scalar)"
            }
        }
        return quote + escaped.joined() + quote
    }

    private mutating func literal(_ text: String?) -> String { text.map { literal($0) } ?? "nil" }

    /// Returns white space, which has no meaning between tokens.
    private mutating func space() -> String { ["", " ", "  ", "\n"][next(4)] }

    mutating func sample(depth: Int) -> Sample {
        if depth == 0 || next(4) == 0 { return leaf() }
        let (first, second) = (sample(depth: depth - 1), sample(depth: depth - 1))
        let (a, b) = (space(), space())
        switch next(4) {
        case 0:
            return Sample(text: "(\(first.text))\(a)&&\(b)(\(second.text))") { first.matches($0) && second.matches($0) }
        case 1:
            return Sample(text: "(\(first.text))\(a)||\(b)(\(second.text))") { first.matches($0) || second.matches($0) }
        case 2:
            // Without parentheses, && binds more tightly than ||.
            let (x, y, z) = (leaf(), leaf(), leaf())
            return Sample(text: "\(x.text) ||\(a)\(y.text)\(b)&& \(z.text)") {
                x.matches($0) || y.matches($0) && z.matches($0)
            }
        default: return Sample(text: "!\(a)(\(first.text)\(b))") { !first.matches($0) }
        }
    }

    private mutating func comparison<Value: Comparable>(
        _ path: String,
        _ literal: String,
        _ constant: Value,
        _ value: @escaping (Order) -> Value?
    ) -> Sample {
        let isReversed = next(4) == 0
        func sample(_ symbol: String, _ reversed: String, _ holds: @escaping (Value?) -> Bool) -> Sample {
            let text = isReversed ? "\(literal) \(reversed) \(path)" : "\(path) \(symbol) \(literal)"
            return Sample(text: text) { holds(value($0)) }
        }
        switch next(6) {
        case 0: return sample("==", "==") { $0 == constant }
        case 1: return sample("!=", "!=") { $0 != constant }
        case 2: return sample("<", ">") { $0.map { $0 < constant } ?? false }
        case 3: return sample("<=", ">=") { $0.map { $0 <= constant } ?? false }
        case 4: return sample(">", "<") { $0.map { $0 > constant } ?? false }
        default: return sample(">=", "<=") { $0.map { $0 >= constant } ?? false }
        }
    }

    private mutating func leaf() -> Sample {
        let (number, text, count) = (next(16) - 3, text(), next(4))
        let maybe = next(4) == 0 ? nil : text
        let second = next(12)
        let date = "2001-01-01T00:00:\(second < 10 ? "0" : "")\(second)Z"
        let status = [Status.pending, .paid, .sent][next(3)]
        switch next(24) {
        case 0: return comparison("number", "\(number)", Int64(number)) { $0.number }
        case 1: return comparison("quantity", "\(number)", number) { $0.quantity }
        case 2: return comparison("total", "\(Double(number) / 4)", Decimal(number) / 4) { $0.total }
        case 3:
            return comparison("placedAt", date, Date(timeIntervalSinceReferenceDate: Double(second))) { $0.placedAt }
        case 4:
            return next(2) == 0
                ? Sample(text: "status == .\(status.rawValue)") { $0.status == status }
                : Sample(text: "status != \"\(status.rawValue)\"") { $0.status != status }
        case 5: return Sample(text: "note == \(literal(maybe))") { $0.note == maybe }
        case 6: return Sample(text: "note != \(literal(maybe))") { $0.note != maybe }
        case 7: return Sample(text: "note.contains(\(literal(text)))") { Self.contains($0.note, text) }
        case 8: return Sample(text: "note?.hasPrefix(\(literal(text)))") { $0.note?.starts(with: text) ?? false }
        case 9: return Sample(text: "note.hasSuffix(\(literal(text))) == true") { $0.note?.hasSuffix(text) ?? false }
        case 10:
            return Sample(text: "number in [\(number), \(number + 3)]") {
                [number, number + 3].contains(Int($0.number))
            }
        case 11: return Sample(text: "note in [\(literal(maybe)), \"abc\"]") { [maybe, "abc"].contains($0.note) }
        case 12: return comparison("customer.name", literal(text), text) { $0.customer?.name }
        case 13:
            return Sample(text: "$0.customer?.boss?.nickname != \(literal(maybe))") {
                $0.customer?.boss?.nickname != maybe
            }
        case 14: return comparison("customer.age", "\(number * 5)", number * 5) { $0.customer?.age }
        case 15: return Sample(text: "items.quantity > \(number)") { $0.items.contains { $0.quantity > number } }
        case 16: return comparison("items.count", "\(count)", count) { $0.items.count }
        case 17: return comparison("customer.orders.count", "\(count)", count) { $0.customer?.orders.count }
        case 18: return Sample(text: "tags.name == \"red\"") { $0.tags.contains { $0.name == "red" } }
        case 19: return Sample(text: "items.name != \"item 0\"") { $0.items.contains { $0.name != "item 0" } }
        case 20: return Sample(text: "items.isEmpty") { $0.items.isEmpty }
        case 21: return Sample(text: "(customer == nil || customer.boss == nil)") { $0.customer?.boss == nil }
        case 22:
            return Sample(text: "number > quantity && customer.age != quantity") {
                $0.number > Int64($0.quantity) && $0.customer?.age != $0.quantity
            }
        default: return comparison("note.count", "\(count)", count) { $0.note?.count }
        }
    }

    private static func contains(_ text: String?, _ part: String) -> Bool {
        guard let text else { return false }
        let (characters, wanted) = (Array(text), Array(part))
        return wanted.isEmpty || characters.contains(wanted)
    }

    /// Returns a text of random tokens, which is rarely a filter.
    mutating func nonsense() -> String {
        let tokens = [
            "(", ")", "[", "]", "!", "&&", "||", "==", "!=", "<", ">=", "in", "nil", "true", ".", ",", "number", "note",
            "customer", "items", "name", "count", "isEmpty", "contains", "(\"a\")", "\"x\"", "'", "\\", "1", "-2.5",
            "2026-01-31", "2026-99-99", ".paid", "`", "é", "\u{202E}", "\u{0}", "💥", "$0.", "?.", "=", "&", "{", " ",
        ]
        return (0..<next(14)).map { _ in tokens[next(tokens.count)] + space() }.joined()
    }
}
#endif
