#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// Creates a stored value from an `Encodable` value, as JSON data with sorted keys.
    ///
    /// If `value` is a ``StorableValue``, its ``StorableValue/storedValue`` is used instead of JSON.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - key: The key to name in the error.
    /// - Throws: ``StoreError`` with code `unsupportedValue` if `value` is `nil` or cannot be encoded.
    init(encoding value: some Encodable, under key: StoreKey) throws {
        if let storable = value as? any StorableValue {
            self = storable.storedValue
            return
        }
        if (value as? any NilComparable)?.isNil == true {
            throw StoreError.unsupportedValue(
                at: key,
                reason: "it is nil",
                advice: "To store no value, call remove(_:)"
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            self = .data(try encoder.encode(value))
        } catch {
            throw StoreError.unsupportedValue(
                at: key,
                reason: "a value of type \(type(of: value)) can't be encoded as JSON",
                underlying: error
            )
        }
    }

    /// Decodes this value from JSON, or converts it if `type` is a ``StorableValue``.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: The key to name in the error.
    ///   - issues: The channel that receives an issue if a conversion is lossy.
    /// - Returns: The decoded or converted value.
    /// - Throws: ``CoreError/DataSerialization`` if the value is not valid JSON for `type`, or ``CoreError/NotFound`` if the value does not
    ///   convert to `type`.
    func decoded<Value: Decodable>(
        as type: Value.Type,
        under key: StoreKey,
        reportingTo issues: IssueChannel
    ) throws -> Value {
        if let storable = type as? any StorableValue.Type {
            let value = try read(as: storable, under: key, policy: .documented, reportingTo: issues)
            if let value = value as? Value { return value }
        }
        let json: Data
        switch self {
        case .data(let data): json = data
        case .string(let text): json = Data(text.utf8)
        default: throw CoreError.NotFound(.notConvertible(stored: kind, asked: "\(Value.self)"), key: key.text)
        }
        do {
            return try JSONDecoder().decode(type, from: json)
        } catch {
            throw CoreError.DataSerialization(
                "The value for \(key) is not valid JSON for the type \(Value.self). Decode it as the type that was encoded.",
                underlying: error
            )
        }
    }
}

/// A protocol that lets generic code test a value for `nil`.
///
/// Only `Optional` conforms.
private protocol NilComparable {
    var isNil: Bool { get }
}

extension Optional: NilComparable {
    fileprivate var isNil: Bool {
        switch self {
        case .none: true
        case .some(let wrapped): (wrapped as? any NilComparable)?.isNil ?? false
        }
    }
}
