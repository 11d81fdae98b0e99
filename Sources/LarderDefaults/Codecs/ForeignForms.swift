import Foundation
import LarderCore

/// What other libraries store for a value, read where Larder's own form does not stand.
///
/// Which form it may be follows from the declared type, never from the look of the bytes alone: a `String` key over a JSON text
/// reads that text. `Documentation/Formats/foreign-defaults-v1.md` lists the forms.
///
/// `nil` says that the value is in none of the forms, whatever is wrong with it: the caller then throws that it does not convert.
enum ForeignForm {
    /// A value out of JSON, if its type can be.
    static func value<Value>(_ type: Value.Type, json bytes: Data) -> Value? {
        guard let decodable = type as? any Decodable.Type else { return nil }
        return (try? JSONDecoder().decode(decodable, from: bytes)) as? Value
    }

    /// A value out of a JSON text that begins with a quotation mark, as Defaults keeps a `URL` and an enum that is `Codable`.
    static func value<Value>(_ type: Value.Type, quoted stored: StoredValue) -> Value? {
        guard case .string(let text) = stored, text.utf8.first == UInt8(ascii: "\"") else { return nil }
        return value(type, json: Data(text.utf8))
    }

    /// A collection out of one JSON document or one keyed archive.
    static func collection<Value>(_ type: Value.Type, _ stored: StoredValue) -> Value? {
        guard case .data(let bytes) = stored else { return nil }
        if bytes.starts(with: Data("bplist".utf8)) {
            return try? ArchiveCodec<Value>(others: []).decode(stored).value
        }
        return value(type, json: bytes)
    }

    /// The JSON of a value that stands in a text, or of each of its elements in a text of its own.
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
