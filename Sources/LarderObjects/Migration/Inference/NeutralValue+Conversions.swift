#if Objects
internal import Foundation

// These properties implement the conversion table in Documentation/Decisions/0060-plan.md. Each returns the nearest value of its type, or
// `nil` if no conversion to the type exists.
extension NeutralValue {
    var integer: Int128? {
        switch self {
        case .integer(let integer): integer
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): Int128(exactly: real.rounded(.toNearestOrEven))
        case .single(let single): Int128(exactly: single.rounded(.toNearestOrEven))
        case .decimal(let decimal): Self.rounded(decimal)
        case .text(let text): Int128(text)
        case .json(let literal):
            Self.number(literal).flatMap { Int128($0) ?? Self.decimal($0).flatMap(Self.rounded) }
        default: nil
        }
    }

    var flag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .text(let text), .json(let text): ["true": true, "false": false][text]
        case .integer(0), .real(0), .single(0): false
        case .integer(1), .real(1), .single(1): true
        case .decimal(let decimal): decimal == 0 ? false : decimal == 1 ? true : nil
        default: nil
        }
    }

    var real: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .flag(let flag): flag ? 1 : 0
        case .real(let real), .date(let real): real
        case .single(let single): Double(single)
        // Parsing the digits of the decimal rounds the result only once.
        case .decimal(let decimal): Self.finite(decimal.description)
        case .text(let text): Self.real(text)
        case .json(let literal): Self.realOfJSON(literal)
        default: nil
        }
    }

    /// The nearest single-precision number, or `nil` if the value can't be converted.
    ///
    /// The value is converted directly, because a conversion through ``real`` would round it twice.
    var single: Float? {
        switch self {
        case .integer(let integer): Float(integer)
        case .flag(let flag): flag ? 1 : 0
        case .real(let real), .date(let real):
            real.isFinite && Float(real).isInfinite ? nil : Float(real)
        case .single(let single): single
        case .decimal(let decimal): Self.finite(decimal.description)
        case .text(let text): Self.real(text)
        case .json(let literal): Self.realOfJSON(literal)
        default: nil
        }
    }

    var decimal: Decimal? {
        switch self {
        case .integer(let integer): Self.decimal("\(integer)")
        case .flag(let flag): flag ? 1 : 0
        case .real(let real): real.isFinite ? Self.decimal("\(real)") : nil
        case .single(let single): single.isFinite ? Self.decimal("\(single)") : nil
        case .decimal(let decimal): decimal
        case .text(let text): Self.decimal(text)
        case .json(let literal): Self.number(literal).flatMap(Self.decimal)
        default: nil
        }
    }

    var date: Double? {
        switch self {
        case .real(let seconds), .date(let seconds): seconds
        case .single(let single): Double(single)
        case .json(let literal): Self.realOfJSON(literal)
        default: nil
        }
    }

    var string: String? {
        switch self {
        case .integer(let integer): "\(integer)"
        case .flag(let flag): flag ? "true" : "false"
        case .real(let real): "\(real)"
        case .single(let single): "\(single)"
        case .decimal(let decimal): decimal.description
        case .text(let text), .url(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .json(let literal): Self.stringOfJSON(literal)
        case .date: nil
        }
    }

    var urlText: String? {
        switch self {
        case .text(let text), .url(let text): text
        case .json(let literal): Self.stringOfJSON(literal)
        default: nil
        }
    }

    var uuid: UUID? {
        switch self {
        case .uuid(let uuid): uuid
        case .text(let text): UUID(uuidString: text)
        case .bytes(let bytes): UUID.fromColumn(.blob(bytes))
        case .json(let literal): Self.stringOfJSON(literal).flatMap { UUID(uuidString: $0) }
        default: nil
        }
    }

    var bytes: Data? {
        switch self {
        case .text(let text): Data(text.utf8)
        case .bytes(let bytes): bytes
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }
        default: nil
        }
    }

    /// The value as a JSON literal in the format of ``JSONCoding``, or `nil` if the value has no JSON form.
    var literal: String? {
        let stored: ColumnValue
        switch self {
        case .integer(let integer): return "\(integer)"
        case .flag(let flag): return flag ? "true" : "false"
        case .decimal(let decimal): return decimal.description
        case .json(let literal): return literal
        case .single(let single): stored = JSONCoding<Float>.encode(single)
        case .real(let real), .date(let real): stored = JSONCoding<Double>.encode(real)
        case .text(let text), .url(let text): stored = JSONCoding<String>.encode(text)
        case .uuid(let uuid): stored = JSONCoding<String>.encode(uuid.uuidString)
        case .bytes: return nil
        }
        if case .text(let text) = stored { return text }
        return nil
    }

    /// Parses a decimal number or an infinity, written as `inf`.
    private static func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ text: String) -> Number? {
        switch text {
        case "inf": .infinity
        case "-inf": -.infinity
        default:
            if let digits = number(text) { finite(digits) } else { nil }
        }
    }

    /// Parses a finite number, or returns `nil` if the number is out of range.
    private static func finite<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ text: String) -> Number? {
        Number(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Parses a number with an optional exponent, or returns `nil` if the string contains anything else.
    ///
    /// `Decimal(string:)` ignores trailing characters.
    private static func decimal(_ text: String) -> Decimal? {
        guard isNumber(text) else { return nil }
        let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
        // Foundation returns zero or NaN for an exponent that is out of range.
        guard let decimal, !decimal.isNaN, !decimal.isZero || Double(text) == 0 else { return nil }
        return decimal
    }

    private static func rounded(_ decimal: Decimal) -> Int128? {
        var (value, result) = (decimal, Decimal())
        NSDecimalRound(&result, &value, 0, .bankers)
        return Int128(result.description)
    }

    /// Returns whether a string is a decimal number with an optional sign, fraction and exponent.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func digits() -> Bool {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard digits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            guard digits() else { return false }
        }
        return rest.isEmpty
    }

    private static func number(_ literal: String) -> String? { isNumber(literal) ? literal : nil }

    private static func realOfJSON<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ literal: String
    ) -> Number? {
        // JSONCoding writes infinities as strings.
        switch literal {
        case "\"inf\"": .infinity
        case "\"-inf\"": -.infinity
        default:
            if let digits = number(literal) { finite(digits) } else { nil }
        }
    }

    private static func stringOfJSON(_ literal: String) -> String? {
        guard literal.hasPrefix("\"") else { return nil }
        return JSONCoding<String>.decode(.text(literal))
    }
}
#endif
