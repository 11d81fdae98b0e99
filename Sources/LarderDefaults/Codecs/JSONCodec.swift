import Foundation
import LarderCore

/// A `Codable` value as the bytes of its JSON.
///
/// Reads JSON that stands in a text too, and an array of such texts, as Defaults keeps them.
struct JSONCodec<Value: Codable>: DefaultsCodec {
    func encode(_ value: Value) throws -> StoredValue {
        let encoder = JSONEncoder()
        // Equal values then have equal bytes, and writing one again is no change.
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(value))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard let bytes = ForeignForm.json(stored) else { throw notConvertible(stored) }
        return Conversion(try JSONDecoder().decode(Value.self, from: bytes))
    }
}
