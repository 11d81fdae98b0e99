#if Objects
import Foundation
import GRDB

/// The tests' own representation of an attribute's value.
enum Value: Hashable, Sendable, CustomStringConvertible {
    case integer(Int128)
    case flag(Bool)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case text(String)
    case url(String)
    case uuid(UUID)
    case data(Data)
    /// The number of seconds since January 1, 2001.
    case date(Double)
    /// A JSON literal.
    case json(String)

    /// The stored form of the value, implemented independently from Documentation/Formats/objects-v3.md.
    var stored: DatabaseValue {
        switch self {
        case .integer(let integer): Int64(exactly: integer)?.databaseValue ?? Self.digits(integer).databaseValue
        case .flag(let flag): (flag ? 1 : 0).databaseValue
        case .double(let double), .date(let double): double.databaseValue
        case .float(let float): Double(float).databaseValue
        case .decimal(let decimal): Self.sortable(decimal).databaseValue
        case .text(let text), .url(let text), .json(let text): text.precomposedStringWithCanonicalMapping.databaseValue
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }.databaseValue
        case .data(let data): data.databaseValue
        }
    }

    private static func digits(_ integer: Int128) -> String {
        String(repeating: "0", count: max(0, 20 - "\(integer)".count)) + "\(integer)"
    }

    private static func sortable(_ decimal: Decimal) -> String {
        if decimal.isZero { return "1" }
        var digits = decimal.significand.description
        let exponent = digits.count + decimal.exponent
        while digits.last == "0" { digits.removeLast() }
        let biased = "\(exponent + 500)"
        let body = String(repeating: "0", count: 3 - biased.count) + biased + digits
        if decimal.sign == .plus { return "2" + body }
        return "0" + body.compactMap(\.wholeNumberValue).map { String(9 - $0) }.joined() + "~"
    }

    var description: String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .flag(let flag): "\(flag)"
        case .double(let double), .date(let double): "\(double)"
        case .float(let float): "\(float)"
        case .decimal(let decimal): decimal.description
        case .text(let text), .url(let text), .json(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .data(let data): data.map { String($0, radix: 16) }.joined(separator: " ")
        }
    }

    /// Returns sample values of a format, including edge cases of conversions.
    static func samples(of format: Format) -> [Value] {
        if let range = format.range {
            let integers: [Int128] = [
                0, 1, 2, -1, 100, 16_777_217, 9_007_199_254_740_993, (1 << 60) + (1 << 36) + 1, range.lowerBound,
                range.upperBound,
            ]
            return Set(integers.filter(range.contains)).sorted().map { .integer($0) }
        }
        let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xAB))
        switch format {
        case .bool: return [.flag(false), .flag(true)]
        case .double:
            return [
                0, 1, -1, 0.5, 1.5, 2.5, 3.7, 0.1, 127, 255.5, -129, 16_777_217, 9_007_199_254_740_992,
                1.8446744073709552e19,
                1e20, 1e-200, 1e300, .infinity, -.infinity, 1.000_000_059_604_644_8,
            ].map { .double($0) }
        case .float: return [0, 1, -1, 0.5, 2.5, 0.1, 127, 16_777_216, 3e9, 1e30, .infinity].map { .float($0) }
        case .decimal:
            return [
                "0", "1", "-1.5", "0.1", "2.5", "3.5", "127", "0.12345678901234567890", "1e30", "18446744073709551615",
                "16777217",
                "1152921573326323713",
            ].compactMap { Decimal(string: $0) }.map { .decimal($0) }
        case .string:
            return [
                "", "7", "007", "-3", "+7", "7 ", "0", "true", "TRUE", "false", "1.5", "1.50", "1e3", "inf", "nan",
                "-0.0", "0x10",
                "1e400", "1e-400", "1e300", "12abc", uuid.uuidString, uuid.uuidString.lowercased(), "https://a.b/c?d=e",
                "a b", "é",
                "2001-01-01", "null", "18446744073709551615", "16777217", "1152921573326323713", "\"q\"/", "0.1",
            ].map { .text($0) }
        case .url: return ["https://a.b/c?d=e", "about:blank", "a%20b"].map { .url($0) }
        case .uuid: return [.uuid(uuid), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))]
        case .data:
            return [Data(), Data("é".utf8), Data("e\u{301}".utf8), Data([0xFF]), Data(1...16), Data(1...15)]
                .map { .data($0) }
        case .date: return [0, 1.5, 86_400.5, 16_777_217, 1e300, -.infinity].map { .date($0) }
        default:
            return [
                "1", "0", "1.5", "true", "false", "\"a\"", "\"1\"", "\"\(uuid.uuidString)\"",
                "\"\(uuid.uuidString.lowercased())\"",
                "\"https://a.b/c\"", "null", "[1]", "{\"a\":1}", "\"inf\"", "9007199254740993", "-129", "16777217",
                "\"\"",
            ].map { .json($0) }
        }
    }
}
#endif
