#if Objects
import Foundation
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of the conversions of stored values when an attribute's type changes.
@Suite struct ConversionTests {
    static let formats = [
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "double", "float", "decimal",
        "string", "url", "uuid", "data", "date", "json",
    ]

    struct Cell: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        let value: ColumnValue
        let outcome: ColumnConversion.Outcome
        var testDescription: String { "\(from) to \(to): \(value)" }

        init(_ from: String, _ to: String, _ value: ColumnValue, _ outcome: ColumnConversion.Outcome) {
            (self.from, self.to, self.value, self.outcome) = (from, to, value, outcome)
        }
    }

    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static func decimal(_ text: String) -> ColumnValue { Decimal(string: text)?.columnValue ?? .null }
    private static let big = UInt64.max.columnValue

    static let cells: [Cell] = [
        Cell("int64", "int8", .integer(127), .exact(.integer(127))),
        Cell("int64", "int8", .integer(128), .none),
        Cell("int64", "uint64", .integer(-1), .none),
        Cell("uint64", "int64", big, .none),
        Cell("uint64", "double", big, .inexact(.real(18_446_744_073_709_551_616))),
        Cell("uint64", "decimal", big, .exact(decimal("18446744073709551615"))),
        Cell("uint64", "string", big, .exact(.text("18446744073709551615"))),
        Cell("int64", "double", .integer(1 << 53), .exact(.real(9_007_199_254_740_992))),
        Cell("int64", "double", .integer((1 << 53) + 1), .inexact(.real(9_007_199_254_740_992))),
        Cell("int32", "float", .integer((1 << 24) + 1), .inexact(.real(16_777_216))),
        Cell("int64", "bool", .integer(1), .exact(.integer(1))),
        Cell("int64", "bool", .integer(2), .none),
        Cell("int64", "uuid", .integer(2), .none),
        Cell("int64", "date", .integer(2), .none),
        Cell("float", "string", .real(Double(Float(0.1))), .exact(.text("0.1"))),
        Cell("bool", "string", .integer(1), .exact(.text("true"))),
        Cell("bool", "json", .integer(0), .exact(.text("false"))),
        Cell("double", "int64", .real(3.7), .inexact(.integer(4))),
        Cell("double", "int64", .real(2.5), .inexact(.integer(2))),
        Cell("double", "int64", .real(-3), .exact(.integer(-3))),
        Cell("double", "int64", .real(1e300), .none),
        Cell("double", "int64", .real(.infinity), .none),
        Cell("double", "float", .real(0.1), .inexact(.real(Double(Float(0.1))))),
        Cell("double", "float", .real(1e300), .none),
        Cell("double", "float", .real(.infinity), .exact(.real(.infinity))),
        Cell("double", "decimal", .real(0.1), .exact(decimal("0.1"))),
        Cell("double", "decimal", .real(1e300), .none),
        Cell("double", "decimal", .real(.infinity), .none),
        Cell("double", "string", .real(0.1), .exact(.text("0.1"))),
        Cell("double", "date", .real(86_400.5), .exact(.real(86_400.5))),
        Cell("double", "json", .real(.infinity), .exact(.text("\"inf\""))),
        Cell(
            "double",
            "uint64",
            .real(18_446_744_073_709_549_568),
            .exact(UInt64(18_446_744_073_709_549_568).columnValue)
        ),
        Cell("double", "uint64", .real(-1), .none),
        Cell("double", "uint8", .real(255.4), .inexact(.integer(255))),
        Cell("uint64", "int8", .integer(200), .none),
        Cell("decimal", "double", decimal("0.1"), .exact(.real(0.1))),
        Cell("decimal", "double", decimal("0.12345678901234567890"), .inexact(.real(0.123456789012345678))),
        Cell("decimal", "int8", decimal("-3.5"), .inexact(.integer(-4))),
        Cell("decimal", "string", decimal("-1.5"), .exact(.text("-1.5"))),
        Cell("string", "int64", .text("7"), .exact(.integer(7))),
        Cell("string", "int64", .text("007"), .inexact(.integer(7))),
        Cell("string", "int64", .text("7 "), .none),
        Cell("string", "int64", .text(""), .none),
        Cell("string", "bool", .text("true"), .exact(.integer(1))),
        Cell("string", "bool", .text("TRUE"), .none),
        Cell("string", "decimal", .text("1.50"), .inexact(decimal("1.5"))),
        Cell("string", "decimal", .text("12abc"), .none),
        Cell("string", "double", .text("nan"), .none),
        Cell("string", "uuid", .text(uuid.uuidString), .exact(uuid.columnValue)),
        Cell("string", "uuid", .text(uuid.uuidString.lowercased()), .inexact(uuid.columnValue)),
        Cell("string", "url", .text("https://a.b/c"), .exact(.text("https://a.b/c"))),
        Cell("string", "data", .text("é"), .exact(.blob(Data("é".utf8)))),
        Cell("string", "json", .text("a\"/b"), .exact(.text("\"a\\\"/b\""))),
        Cell("string", "date", .text("2001-01-01"), .none),
        Cell("data", "string", .blob(Data([0xFF])), .none),
        Cell("data", "string", .blob(Data("e\u{301}".utf8)), .inexact(.text("é"))),
        Cell("data", "uuid", .blob(Data(1...16)), .exact(uuid.columnValue)),
        Cell("data", "uuid", .blob(Data(1...15)), .none),
        Cell("uuid", "json", uuid.columnValue, .exact(.text("\"\(uuid.uuidString)\""))),
        Cell("date", "double", .real(1.5), .exact(.real(1.5))),
        Cell("date", "json", .real(1.5), .exact(.text("1.5"))),
        Cell("json", "string", .text("\"a\""), .exact(.text("a"))),
        Cell("json", "string", .text("1"), .none),
        Cell("json", "int64", .text("9007199254740993"), .exact(.integer(9_007_199_254_740_993))),
        Cell("json", "int64", .text("1.5"), .inexact(.integer(2))),
        Cell("json", "int64", .text("\"1\""), .none),
        Cell("json", "bool", .text("true"), .exact(.integer(1))),
        Cell("json", "date", .text("1.5"), .exact(.real(1.5))),
        Cell("json", "double", .text("[1]"), .none),
        Cell("json", "double", .text("null"), .none),
        // The value is rounded once. Rounding to Double first would give the other neighbor.
        Cell(
            "int64",
            "float",
            .integer((1 << 60) + (1 << 36) + 1),
            .inexact(.real(Double(Float(sign: .plus, exponent: 60, significand: 1).nextUp)))
        ),
        Cell(
            "string",
            "float",
            .text("1152921573326323713"),
            .inexact(.real(Double(Float(sign: .plus, exponent: 60, significand: 1).nextUp)))
        ),
        Cell("string", "double", .text("0x10"), .none),
        Cell("string", "double", .text("1e400"), .none),
        Cell("string", "double", .text("inf"), .exact(.real(.infinity))),
        // SQLite stores no negative zero.
        Cell("string", "double", .text("-0.0"), .inexact(.real(0))),
    ]

    @Test(arguments: cells) func attributeConversionMatchesDocumentedTable(_ cell: Cell) {
        #expect(ColumnConversion(from: cell.from, to: cell.to).convert(cell.value) == cell.outcome)
    }

    @Test func conversionPreservesNilAndValuesOfSameFormat() {
        for from in Self.formats {
            for to in Self.formats {
                #expect(ColumnConversion(from: from, to: to).convert(.null) == .exact(.null))
            }
            #expect(ColumnConversion(from: from, to: from).convert(.text("x")) == .exact(.text("x")))
        }
        #expect(ColumnConversion(from: "custom", to: "custom").convert(.integer(1)) == .exact(.integer(1)))
        #expect(ColumnConversion(from: "custom", to: "string").convert(.integer(1)) == .none)
    }

    private static func value(_ format: String, _ random: inout SeededGenerator) -> ColumnValue {
        if let range = IntegerFormats.ranges[format] {
            let wide = Bool.random(using: &random) ? range : max(range.lowerBound, -300)...min(range.upperBound, 300)
            let integer = Int128.random(in: wide, using: &random)
            return format == "uint64" ? UInt64(integer).columnValue : .integer(Int64(integer))
        }
        let number = Double(Int.random(in: -2_000...2_000, using: &random)) / 8
        switch format {
        case "bool": return .integer(Int64.random(in: 0...1, using: &random))
        case "double", "date": return .real(Bool.random(using: &random) ? number : number * 1.000_000_1)
        case "float": return .real(Double(Float(number * 1.1)))
        case "decimal": return Self.decimal("\(number)")
        case "url": return .text("https://example.com/\(abs(number))")
        case "uuid": return .blob(Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case "data": return .blob(Data((0..<16).map { _ in UInt8.random(in: 60...130, using: &random) }))
        default:
            let texts = ["\(number)", "0\(Int(number))", "true", "é", "", Self.uuid.uuidString, "a b"]
            let text = texts.randomElement(using: &random) ?? ""
            return format == "json" ? JSONCoding<String>.encode(text) : .text(text)
        }
    }

    @Test func exactConversionIsReversible() {
        for from in Self.formats {
            for to in Self.formats {
                var random = SeededGenerator(seed: UInt64(from.utf8.count * 100 + to.utf8.count))
                let (there, back) = (ColumnConversion(from: from, to: to), ColumnConversion(from: to, to: from))
                for _ in 0..<50 {
                    let value = Self.value(from, &random)
                    switch there.convert(value) {
                    case .exact(let result):
                        #expect(back.convert(result) == .exact(value), "\(from) to \(to): \(value) is \(result)")
                    case .inexact(let result):
                        #expect(back.convert(result) != .exact(value), "\(from) to \(to): \(value) is \(result)")
                    case .none: continue
                    }
                }
            }
        }
    }

    @Test func conversionMarkedTotalConvertsEveryValueExactly() {
        for from in Self.formats {
            for to in Self.formats where ColumnConversion(from: from, to: to).isTotal {
                var random = SeededGenerator(seed: 7)
                for _ in 0..<50 {
                    let value = Self.value(from, &random)
                    guard case .exact = ColumnConversion(from: from, to: to).convert(value) else {
                        Issue.record("\(from) to \(to): \(value)")
                        continue
                    }
                }
            }
        }
    }
}
#endif
