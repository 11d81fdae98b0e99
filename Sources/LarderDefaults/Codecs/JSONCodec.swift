import Foundation
import LarderCore

/// A `Codable` value as the bytes of its JSON.
struct JSONCodec<Value: Codable>: DefaultsCodec {
    func encode(_ value: Value) throws -> StoredValue {
        let encoder = JSONEncoder()
        // Equal values then have equal bytes, and writing one again is no change.
        encoder.outputFormatting = .sortedKeys
        return .data(try encoder.encode(value))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .data(let bytes) = stored else { throw notConvertible(stored) }
        return Conversion(try JSONDecoder().decode(Value.self, from: bytes))
    }
}
