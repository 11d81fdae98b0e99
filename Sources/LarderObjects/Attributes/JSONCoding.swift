#if Objects
internal import Foundation

/// A coding that stores `Codable` values as JSON with sorted keys.
///
/// Equal values have the same stored form.
public enum JSONCoding<Value: Codable>: AttributeCoding {
    /// Whether `Value` is an optional.
    public static var isOptional: Bool { Value.self is any OptionalType.Type }
    /// The column format for JSON strings.
    public static var format: AttributeFormat { AttributeFormat("json", columnType: "TEXT") }

    /// Encodes a value as a JSON string.
    ///
    /// A value can't be encoded if it contains NaN or if its `encode(to:)` method throws an error. Saving an object with such a value
    /// throws an error.
    ///
    /// - Parameter value: The value to encode.
    /// - Returns: The JSON string, or NULL if `value` is `nil` or can't be encoded.
    public static func encode(_ value: Value) -> ColumnValue {
        if isNil(value) { return .null }
        // If this returns NULL for a value that is not `nil`, the caller rejects the value and gets the error from `encodingError(of:)`.
        guard let text = try? text(value) else { return .null }
        return .text(text)
    }

    /// Returns the error that encoding a value as JSON throws.
    ///
    /// - Parameter value: A value to encode.
    /// - Returns: The error, or `nil` if the value can be encoded.
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
        // This marker replaces NaN and occurs in no value.
        let mark = NotANumber.mark
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: mark
        )
        let data = try encoder.encode(value)
        if NotANumber.mayContain(data) {
            guard data.range(of: Data(mark.utf8)) == nil else { throw NotANumber() }
            // JSONEncoder writes a Decimal NaN as `NaN`, which is not JSON.
            do {
                _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            } catch {
                throw NotANumber()
            }
        }
        return String(decoding: data, as: UTF8.self).composed
    }

    /// Decodes a value from a JSON string.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The value, or `nil` if the string can't be decoded.
    public static func decode(_ column: ColumnValue) -> Value? {
        switch column {
        case .null:
            guard let type = Value.self as? any OptionalType.Type else { return nil }
            return type.nilValue as? Value
        case .text(let text):
            // If the result is `nil`, the caller reports the failure and gets the error from `decodingError(of:)`.
            return try? value(text)
        default: return nil
        }
    }

    /// Returns the error that decoding a JSON string throws.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The error, or `nil` if decoding succeeds or the column does not contain a string.
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

/// The error thrown when a value contains NaN, which JSON can't represent.
private struct NotANumber: Error, CustomStringConvertible {
    let description = "the value contains NaN"

    /// A string, unique to this process, that represents NaN during encoding.
    static let mark = "NaN-" + UUID().uuidString

    /// Returns whether the JSON contains the letters "NaN", which occur in every encoding of NaN.
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

/// A protocol that only `Optional` conforms to, used to detect optionals at run time.
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
