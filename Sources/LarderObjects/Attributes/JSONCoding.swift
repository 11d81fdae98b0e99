#if Objects
internal import Foundation

/// The coding of a `Codable` type: its JSON, with sorted keys, so that equal values are stored as equal text.
public enum JSONCoding<Value: Codable>: AttributeCoding {
    /// Whether `nil` is a value.
    public static var isOptional: Bool { Value.self is any OptionalType.Type }
    /// JSON text.
    public static var format: AttributeFormat { AttributeFormat("json", columnType: "TEXT") }

    /// The JSON of a value; nothing for `nil`.
    ///
    /// A save refuses a value whose `encode(to:)` throws, and one that contains NaN, as it refuses NaN in an attribute of its own.
    ///
    /// - Parameter value: The value.
    /// - Returns: Its stored form.
    public static func encode(_ value: Value) -> ColumnValue {
        if isNil(value) { return .null }
        // Whoever gets nothing for a value that is something refuses it, and asks `encodingError(of:)` for the reason.
        guard let text = try? text(value) else { return .null }
        return .text(text)
    }

    /// What the value's `encode(to:)` throws, or that the value contains NaN.
    ///
    /// - Parameter value: The value.
    /// - Returns: The error, or `nil` if it does encode.
    public static func encodingError(of value: Value) -> (any Error)? {
        do {
            _ = try text(value)
            return nil
        } catch {
            return error
        }
    }

    private static func text(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // No text of a value is this one, by which NaN is recognised.
        let mark = NotANumber.mark
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: mark
        )
        let data = try encoder.encode(value)
        if NotANumber.mayContain(data) {
            guard data.range(of: Data(mark.utf8)) == nil else { throw NotANumber() }
            // A Decimal that is no number is written as `NaN`, which is not JSON.
            do {
                _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            } catch {
                throw NotANumber()
            }
        }
        return String(decoding: data, as: UTF8.self).composed
    }

    /// The value of a JSON text.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The value, or `nil` when the text does not decode.
    public static func decode(_ column: ColumnValue) -> Value? {
        switch column {
        case .null:
            guard let type = Value.self as? any OptionalType.Type else { return nil }
            return type.nilValue as? Value
        case .text(let text):
            // Whoever gets nothing for what is something says so, and asks `decodingError(of:)` for the reason.
            return try? value(text)
        default: return nil
        }
    }

    /// What decoding the text throws.
    ///
    /// - Parameter column: The stored form.
    /// - Returns: The error, or `nil` if the column holds no text, or one that does decode.
    public static func decodingError(of column: ColumnValue) -> (any Error)? {
        guard case .text(let text) = column else { return nil }
        do {
            _ = try value(text)
            return nil
        } catch {
            return error
        }
    }

    private static func value(_ text: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return try decoder.decode(Value.self, from: Data(text.utf8))
    }
}

/// A value that contains NaN, which has no JSON.
private struct NotANumber: Error, CustomStringConvertible {
    let description = "it contains NaN"

    /// What stands for NaN while a value is encoded: different in each process.
    static let mark = "NaN-" + UUID().uuidString

    /// Whether the JSON has the letters NaN anywhere.
    static func mayContain(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            guard bytes.count >= 3 else { return false }
            for place in 0..<bytes.count - 2 where bytes[place] == UInt8(ascii: "N") {
                if bytes[place + 1] == UInt8(ascii: "a"), bytes[place + 2] == UInt8(ascii: "N") { return true }
            }
            return false
        }
    }
}

/// An optional, whatever it holds.
protocol OptionalType {
    static var nilValue: Any { get }
    static var wrappedType: Any.Type { get }
    var isNil: Bool { get }
    var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
    static var nilValue: Any { Optional(nilLiteral: ()) as Any }
    static var wrappedType: Any.Type { Wrapped.self }
    var isNil: Bool { self == nil }
    var wrappedValue: Any? { self.map { $0 as Any } }
}
#endif
