import Foundation
import LarderCore

/// A namespace for functions that decode values stored by other libraries in their own formats.
///
/// The declared type determines which formats are tried. For example, a `String` key whose stored value is a JSON string returns that
/// string unchanged. `Documentation/Formats/foreign-defaults-v1.md` lists the formats.
///
/// Each function returns `nil` if a value has none of the supported formats.
enum ForeignForm {
    /// Decodes JSON as the given type, or returns `nil` if the type is not `Decodable` or decoding fails.
    static func value<Value>(_ type: Value.Type, json bytes: Data) -> Value? {
        guard let decodable = type as? any Decodable.Type else { return nil }
        return (try? JSONDecoder().decode(decodable, from: bytes)) as? Value
    }

    /// Decodes a value from a quoted JSON string, the format in which the Defaults library stores a `URL` or a `Codable` enum.
    static func value<Value>(_ type: Value.Type, quoted stored: StoredValue) -> Value? {
        guard case .string(let text) = stored, text.utf8.first == UInt8(ascii: "\"") else { return nil }
        return value(type, json: Data(text.utf8))
    }

    /// Decodes a collection that is stored as a single JSON document or a single keyed archive.
    static func collection<Value>(_ type: Value.Type, _ stored: StoredValue) -> Value? {
        guard case .data(let bytes) = stored else { return nil }
        if bytes.starts(with: Data("bplist".utf8)) {
            return try? ArchiveCodec<Value>(others: []).decode(stored).value
        }
        return value(type, json: bytes)
    }

    /// Returns a stored value as a JSON document.
    ///
    /// The stored value may be data, a string, or an array of JSON strings.
    static func json(_ stored: StoredValue) -> Data? {
        switch stored {
        case .data(let bytes): return bytes
        case .string(let text): return Data(text.utf8)
        case .array(let elements):
            let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return texts.count == elements.count ? Data("[\(texts.joined(separator: ","))]".utf8) : nil
        default: return nil
        }
    }
}
