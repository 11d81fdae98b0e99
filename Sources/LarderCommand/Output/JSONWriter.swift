import Foundation
import LarderCore

/// A namespace for functions that format values as JSON, in the format documented in `Documentation/Command.md`.
enum JSONWriter {
    /// Formats a value and its type as a JSON object, such as `{"type": "double", "value": 3.5}`.
    ///
    /// Nested values also include their types.
    static func typed(_ value: StoredValue) -> String {
        let content =
            switch value {
            case .array(let elements): list(elements.map(typed))
            case .dictionary(let dictionary): object(dictionary.map { ($0.key, typed($0.value)) })
            default: plain(value)
            }
        return object([("type", string(value.kind.rawValue)), ("value", content)])
    }

    /// Formats a value as JSON without type names.
    ///
    /// Dates, URLs, data, NaN and the infinities are written as strings.
    static func plain(_ value: StoredValue) -> String {
        switch value {
        case .bool(let bool): bool ? "true" : "false"
        case .int(let number): String(number)
        case .unsigned(let number): String(number)
        case .float(let number): number.isFinite ? ValueText.number(number) : string(ValueText.number(number))
        case .double(let number): number.isFinite ? ValueText.number(number) : string(ValueText.number(number))
        case .string(let text): string(text)
        case .url(let text): string(text)
        case .date(let date): string(DateText.text(date))
        case .data(let data): string(data.base64EncodedString())
        case .array(let elements): list(elements.map(plain))
        case .dictionary(let dictionary): object(dictionary.map { ($0.key, plain($0.value)) })
        case .null: "null"
        }
    }

    static func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { string($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
    }

    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
