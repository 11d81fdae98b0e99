#if Objects
import Foundation

/// Converts values as specified in Documentation/Migrations.md, using only Swift's own types.
///
/// The oracle does not use Larder's conversions. It takes the rule for each pair of types from the table in the document, and implements
/// the rules independently.
enum ConversionOracle {
    enum Outcome: Hashable, Sendable {
        case exact(Value)
        case inexact(Value)
        case none

        var value: Value? {
            switch self {
            case .exact(let value), .inexact(let value): value
            case .none: nil
            }
        }
    }

    static func convert(_ value: Value, to target: Format) -> Outcome {
        convert(value, to: target, by: ConversionPage.rule(from: value.label, to: target.label))
    }

    private static func convert(_ value: Value, to target: Format, by rule: String) -> Outcome {
        switch rule {
        case "equal": .exact(value)
        case "exact": exact(value, target).map { .exact($0) } ?? .none
        case "range": integer(value.number, target)
        case "0 or 1":
            value.number.flatMap { $0 == 0 ? false : $0 == 1 ? true : nil }.map { .exact(.flag($0)) } ?? .none
        case "round", "finite": number(value, target)
        case "parse": parsed(value, target)
        case "UTF-8": text(value)
        case "16 bytes": uuid(value)
        case "literal": literal(value, target)
        default: .none
        }
    }

    /// Returns the result of an exact conversion.
    private static func exact(_ value: Value, _ target: Format) -> Value? {
        switch (value, target) {
        case (.flag(let flag), .string): .text(flag ? "true" : "false")
        case (.flag(let flag), .json): .json(flag ? "true" : "false")
        case (.flag(let flag), .double): .double(flag ? 1 : 0)
        case (.flag(let flag), .float): .float(flag ? 1 : 0)
        case (.flag(let flag), .decimal): .decimal(flag ? 1 : 0)
        case (.flag(let flag), _): .integer(flag ? 1 : 0)
        case (.integer(let integer), .decimal): Decimal(string: "\(integer)").map { .decimal($0) }
        case (.integer(let integer), .json): .json("\(integer)")
        case (.double(let double), .date): .date(double)
        case (.float(let float), .double): .double(Double(float))
        case (.float(let float), .date): .date(Double(float))
        case (.date(let seconds), .double): .double(seconds)
        case (.double(let double), .json), (.date(let double), .json): json(double)
        case (.float(let float), .json): json(float)
        case (.decimal(let decimal), .json): .json(decimal.description)
        case (.text(let text), .data): .data(Data(text.utf8))
        case (.text(let text), .json), (.url(let text), .json): json(text)
        case (.uuid(let uuid), .json): json(uuid.uuidString)
        case (.uuid(let uuid), .data): .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case (_, .string): .text(value.description)
        default: nil
        }
    }

    private static func json(_ value: some Encodable) -> Value? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return (try? encoder.encode(value)).map { .json(String(decoding: $0, as: UTF8.self)) }
    }

    private static func integer(_ number: Decimal?, _ target: Format) -> Outcome {
        guard let number, let range = target.range else { return .none }
        let rounded = halfEven(number)
        guard let integer = Int128(rounded.description), range.contains(integer) else { return .none }
        return rounded == number ? .exact(.integer(integer)) : .inexact(.integer(integer))
    }

    /// Returns the nearest integer, or the even integer if two are equally near.
    private static func halfEven(_ number: Decimal) -> Decimal {
        let parts = number.magnitude.description.split(separator: ".")
        guard parts.count == 2, let whole = Decimal(string: String(parts[0])) else { return number }
        let isOdd = parts[0].last.flatMap(\.wholeNumberValue).map { $0 % 2 == 1 } ?? false
        let isHalf =
            parts[1].allSatisfy { $0 == "0" || $0 == "5" } && parts[1].first == "5"
            && parts[1].dropFirst().allSatisfy { $0 == "0" }
        let isMore = !isHalf && (parts[1].first.flatMap(\.wholeNumberValue) ?? 0) >= 5
        let result = whole + (isMore || isHalf && isOdd ? 1 : 0)
        return number < 0 ? -result : result
    }

    private static func number(_ value: Value, _ target: Format) -> Outcome {
        switch (value, target) {
        case (.integer(let integer), .double):
            return nearest(Double(integer), Double(exactly: integer) != nil) { .double($0) }
        case (.integer(let integer), .float):
            return nearest(Float(integer), Float(exactly: integer) != nil) { .float($0) }
        case (.double(let double), .float), (.date(let double), .float):
            let float = Float(double)
            if float.isInfinite, !double.isInfinite { return .none }
            return nearest(float, Double(float) == double) { .float($0) }
        case (.double(let double), .decimal):
            guard double.isFinite, let decimal = Decimal(string: "\(double)"), decimal.isZero == (double == 0) else {
                return .none
            }
            return Double(decimal.description) == double ? .exact(.decimal(decimal)) : .inexact(.decimal(decimal))
        case (.float(let float), .decimal):
            guard float.isFinite, let decimal = Decimal(string: "\(float)"), decimal.isZero == (float == 0) else {
                return .none
            }
            return Float(decimal.description) == float ? .exact(.decimal(decimal)) : .inexact(.decimal(decimal))
        case (.double(let double), _):
            guard let integer = Int128(exactly: double.rounded(.toNearestOrEven)),
                target.range?.contains(integer) == true
            else { return .none }
            return nearest(integer, Double(integer) == double) { .integer($0) }
        case (.float(let float), _):
            guard let integer = Int128(exactly: float.rounded(.toNearestOrEven)),
                target.range?.contains(integer) == true
            else { return .none }
            return nearest(integer, Float(integer) == float) { .integer($0) }
        case (.decimal(let decimal), .double):
            guard let double = Double(decimal.description) else { return .none }
            return nearest(double, Decimal(string: "\(double)") == decimal) { .double($0) }
        case (.decimal(let decimal), .float):
            guard let float = Float(decimal.description), float.isFinite else { return .none }
            return nearest(float, Decimal(string: "\(float)") == decimal) { .float($0) }
        case (.decimal(let decimal), _): return integer(decimal, target)
        default: return .none
        }
    }

    private static func nearest<Number>(_ number: Number, _ isExact: Bool, _ make: (Number) -> Value) -> Outcome {
        isExact ? .exact(make(number)) : .inexact(make(number))
    }

    /// Parses a string as the new type.
    private static func parsed(_ value: Value, _ target: Format) -> Outcome {
        guard case .text(let text) = value else { return .none }
        func outcome(_ result: Value?) -> Outcome {
            guard let result else { return .none }
            return result.description == text ? .exact(result) : .inexact(result)
        }
        switch target {
        case .bool: return text == "true" ? .exact(.flag(true)) : text == "false" ? .exact(.flag(false)) : .none
        case .double: return outcome(read(text, "inf", Double.init).map { .double($0) })
        case .float: return outcome(read(text, "inf", Float.init).map { .float($0) })
        case .decimal: return outcome(decimal(text).map { .decimal($0) })
        case .url: return outcome(URL(string: text).map { .url($0.absoluteString) })
        case .uuid: return outcome(UUID(uuidString: text).map { .uuid($0) })
        default: return outcome(Int128(text).flatMap { target.range?.contains($0) == true ? .integer($0) : nil })
        }
    }

    /// Returns whether a string is a decimal number with an optional sign, fraction and exponent.
    private static func isNumber(_ text: String) -> Bool {
        let parts = text.split(whereSeparator: { "eE".contains($0) }).map { $0.drop { "+-".contains($0) } }
        let signs = text.filter { "+-eE".contains($0) }
        func areDigits(_ text: Substring) -> Bool { !text.isEmpty && text.allSatisfy { ("0"..."9").contains($0) } }
        guard let mantissa = parts.first, parts.count <= 2, text.filter({ "eE".contains($0) }).count == parts.count - 1,
            signs.filter({ "+-".contains($0) }).count <= parts.count
        else { return false }
        let fraction = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        return fraction.count <= 2 && fraction.allSatisfy(areDigits) && parts.dropFirst().allSatisfy(areDigits)
    }

    /// Parses a decimal number or an infinity.
    ///
    /// The sign of zero is ignored, because SQLite does not store it.
    private static func read<Number: BinaryFloatingPoint>(
        _ text: String,
        _ infinity: String,
        _ make: (String) -> Number?
    ) -> Number? {
        if text == infinity { return .infinity }
        if text == "-" + infinity { return -.infinity }
        guard isNumber(text), let result = make(text), result.isFinite else { return nil }
        return result == 0 ? 0 : result
    }

    private static func decimal(_ text: String) -> Decimal? {
        guard isNumber(text), let decimal = Decimal(string: text), !decimal.isNaN else { return nil }
        // A number that is too small is read as zero.
        return decimal.isZero && text.contains(where: { ("1"..."9").contains($0) }) && Double(text) != 0 ? nil : decimal
    }

    private static func text(_ value: Value) -> Outcome {
        guard case .data(let data) = value, let text = String(data: data, encoding: .utf8) else { return .none }
        let composed = text.precomposedStringWithCanonicalMapping
        return Data(composed.utf8) == data ? .exact(.text(composed)) : .inexact(.text(composed))
    }

    private static func uuid(_ value: Value) -> Outcome {
        guard case .data(let data) = value, data.count == 16 else { return .none }
        let bytes = Array(data)
        return .exact(
            .uuid(
                UUID(
                    uuid: (
                        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
                        bytes[9], bytes[10],
                        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                    )
                )
            )
        )
    }

    /// Parses a JSON literal as the new type.
    private static func literal(_ value: Value, _ target: Format) -> Outcome {
        guard case .json(let literal) = value else { return .none }
        func outcome(_ result: Value?, _ written: Value?) -> Outcome {
            guard let result, case .json(let text)? = written else { return .none }
            return text == literal ? .exact(result) : .inexact(result)
        }
        let content = (try? JSONDecoder().decode(String.self, from: Data(literal.utf8)))
        switch target {
        case .bool: return literal == "true" ? .exact(.flag(true)) : literal == "false" ? .exact(.flag(false)) : .none
        case .double:
            let double = read(literal, "\"inf\"", "\"-inf\"", Double.init)
            return outcome(double.map { .double($0) }, double.flatMap(json))
        case .date:
            let double = read(literal, "\"inf\"", "\"-inf\"", Double.init)
            return outcome(double.map { .date($0) }, double.flatMap(json))
        case .float:
            let float = read(literal, "\"inf\"", "\"-inf\"", Float.init)
            return outcome(float.map { .float($0) }, float.flatMap(json))
        case .decimal:
            let decimal = decimal(literal)
            return outcome(decimal.map { .decimal($0) }, decimal.map { .json($0.description) })
        case .string: return outcome(content.map { .text($0) }, content.flatMap(json))
        case .url:
            let url = content.flatMap { URL(string: $0) }?.absoluteString
            return outcome(url.map { .url($0) }, url.flatMap(json))
        case .uuid:
            let uuid = content.flatMap { UUID(uuidString: $0) }
            return outcome(uuid.map { .uuid($0) }, (uuid?.uuidString).flatMap(json))
        default:
            guard let number = decimal(literal) else { return .none }
            guard let result = integer(number, target).value else { return .none }
            return outcome(result, .json(result.description))
        }
    }

    private static func read<Number: BinaryFloatingPoint>(
        _ literal: String,
        _ infinity: String,
        _ negative: String,
        _ make: (String) -> Number?
    ) -> Number? {
        literal == negative ? -.infinity : literal == "-" + infinity ? nil : read(literal, infinity, make)
    }
}

extension Value {
    /// The type's name in the table of Documentation/Migrations.md.
    var label: String {
        switch self {
        case .integer: "Integer"
        case .flag: "Bool"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .text: "String"
        case .url: "URL"
        case .uuid: "UUID"
        case .data: "Data"
        case .date: "Date"
        case .json: "Codable"
        }
    }

    /// The value as a number, or `nil` if it is not a number that `Decimal` can represent.
    fileprivate var number: Decimal? {
        switch self {
        case .integer(let integer): Decimal(string: "\(integer)")
        case .double(let double): double.isFinite && double.magnitude < 1e38 ? Decimal(string: "\(double)") : nil
        case .float(let float): float.isFinite && float.magnitude < 1e38 ? Decimal(string: "\(float)") : nil
        case .decimal(let decimal): decimal
        default: nil
        }
    }
}
#endif
