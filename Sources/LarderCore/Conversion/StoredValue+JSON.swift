#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// What is stored for an `Encodable` value: its JSON as data, with sorted keys; of a ``StorableValue`` its own form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Named in the error.
    /// - Throws: ``StoreError`` with code `unsupportedValue` when `value` is `nil` or cannot be encoded.
    init(encoding value: some Encodable, under key: StoreKey) throws {
        if let storable = value as? any StorableValue {
            self = storable.storedValue
            return
        }
        if (value as? any NilComparable)?.isNil == true {
            throw StoreError.unsupportedValue(at: key, reason: "it is nil; to store no value, call remove(_:)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            self = .data(try encoder.encode(value))
        } catch {
            throw StoreError.unsupportedValue(
                at: key,
                reason: "a value of type \(type(of: value)) cannot be encoded as JSON",
                underlying: error
            )
        }
    }

    /// Decodes JSON, or reads a ``StorableValue`` as one.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - key: Named in the error.
    ///   - issues: Receives an issue when a conversion loses something.
    /// - Returns: The value.
    /// - Throws: ``CoreError/DataSerialization`` or ``CoreError/NotFound``.
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
                "The value for \(key) is not the JSON of a value of type \(Value.self).",
                underlying: error
            )
        }
    }
}

/// Tells `nil` from other values in generic code.
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
