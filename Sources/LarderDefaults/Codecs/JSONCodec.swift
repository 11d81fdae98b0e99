import Foundation
import LarderCore

/// A codec that encodes a `Codable` value as JSON data.
///
/// The codec also decodes JSON strings and arrays of JSON strings, which the Defaults library stores.
struct JSONCodec<Value: Codable>: DefaultsCodec {
    func encode(_ value: Value) throws -> StoredValue {
        let encoder = JSONEncoder()
        // Equal values must be encoded as equal bytes, so that writing the same value again is not a change.
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(value))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard let bytes = ForeignForm.json(stored) else { throw notConvertible(stored) }
        return Conversion(try JSONDecoder().decode(Value.self, from: bytes))
    }
}
