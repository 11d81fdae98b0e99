import Foundation
import LarderCore

/// Parses command-line values of a specified type.
enum ValueReader {
    /// Parses a string as a value of the given type.
    ///
    /// - Parameters:
    ///   - text: The argument, or the content of standard input.
    ///   - type: The type of the value.
    /// - Returns: The parsed value.
    /// - Throws: ``CommandFailure``, whose message contains the string and the expected format.
    static func value(_ text: String, as type: ValueType) throws -> StoredValue {
        switch type {
        case .string: return .string(text)
        case .bool:
            guard let value = Bool(text) else { throw refusal(text, type, "true or false") }
            return .bool(value)
        case .int:
            guard let value = Int64(text) else {
                throw refusal(text, type, "a whole number from \(Int64.min) to \(Int64.max)")
            }
            return .int(value)
        case .uint:
            guard let value = UInt64(text), let stored = StoredValue.integer(value) else {
                throw refusal(text, type, "a whole number from 0 to \(UInt64.max)")
            }
            return stored
        case .float:
            guard let value = Float(text), value.isFinite || isInfinityOrNaN(text) else {
                throw refusal(text, type, "a number within the range of a Float")
            }
            return .float(value)
        case .double:
            guard let value = Double(text), value.isFinite || isInfinityOrNaN(text) else {
                throw refusal(text, type, "a number within the range of a Double")
            }
            return .double(value)
        case .url:
            guard !text.isEmpty, let url = URL(string: text) else { throw refusal(text, type, "a URL") }
            return .url(url)
        case .date:
            guard let date = DateText.date(text) else {
                throw refusal(text, type, "a date such as 2026-11-21T09:30:00Z, or the seconds since 2001-01-01")
            }
            return .date(date)
        case .data:
            guard let data = Data(base64Encoded: text) else {
                throw refusal(text, type, "base64, or the value - to read bytes from standard input")
            }
            return .data(data)
        case .array, .dictionary, .json:
            return try json(text, as: type)
        }
    }

    private static func json(_ text: String, as type: ValueType) throws -> StoredValue {
        let value: StoredValue
        do {
            value = try JSONReader.value(text)
        } catch let error as JSONReader.Malformed {
            throw CommandFailure.usage(
                "The value is not valid JSON: \(error.reason) at byte \(error.offset). Correct the value, or use --type string to store the text as it is."
            )
        }
        switch (type, value.kind) {
        case (.array, .array), (.dictionary, .dictionary): return value
        case (.array, _): throw refusal(text, type, "a JSON array such as [1, 2]")
        case (.dictionary, _): throw refusal(text, type, #"a JSON object such as {"a": 1}"#)
        case (_, .null): throw CommandFailure.usage("A null can't be stored. Use `larder delete` to remove a key.")
        default: return value
        }
    }

    private static func isInfinityOrNaN(_ text: String) -> Bool {
        ["inf", "infinity", "nan"].contains(text.drop { $0 == "-" || $0 == "+" }.lowercased())
    }

    private static func refusal(_ text: String, _ type: ValueType, _ expected: String) -> CommandFailure {
        .usage("\(String(text.prefix(64)).debugDescription) is not a valid \(type.rawValue). Specify \(expected).")
    }
}
