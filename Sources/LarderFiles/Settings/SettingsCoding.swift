import Foundation
import LarderCore

/// Between a settings value and the property list in its file.
///
/// The lists are read and written by Larder's own code; only `Codable` values go through Foundation's coders, from and to lists that
/// Larder has read or reads next. Foundation's readers of files end the process on some damaged ones.
enum SettingsCoding {
    /// The value and the list it was read from, with what the value requires and the list lacks taken from the defaults.
    static func decode<Value: Codable>(
        _ type: Value.Type,
        from content: Data,
        defaults: Value,
        _ path: String
    ) throws -> (Value, StoredValue) {
        do {
            let list = try PropertyListDocument.root(of: XMLEncoding.inUTF8([UInt8](content)))
            do {
                return (try value(type, of: list), list)
            } catch DecodingError.keyNotFound {
                return (try valueCompleting(type, of: list, defaults), list)
            }
        } catch {
            throw FileError(.undecodable, .decode, path, underlying: error)
        }
    }

    private static func valueCompleting<Value: Codable>(
        _ type: Value.Type,
        of list: StoredValue,
        _ defaults: Value
    ) throws -> Value {
        var fields = try fields(of: list)
        let defaultFields = try self.fields(of: encoded(defaults))
        while true {
            do {
                return try value(type, of: .dictionary(fields))
            } catch DecodingError.keyNotFound(let key, let context) {
                // Only what is missing: an optional that is absent is nil on purpose.
                guard context.codingPath.isEmpty, fields[key.stringValue] == nil,
                    let field = defaultFields[key.stringValue]
                else { throw DecodingError.keyNotFound(key, context) }
                fields[key.stringValue] = field
            }
        }
    }

    /// The content for `value`, with the fields of the file before that the type does not know.
    static func encode<Value: Codable & Sendable>(
        _ value: Value,
        after before: CachedSettings<Value>?,
        _ format: PropertyListFormat,
        _ path: String
    ) throws -> Data {
        do {
            var fields = try before.map { try self.fields(of: $0.list) } ?? [:]
            // What the type wrote of the earlier value is what it knows: gone from the new one, it is gone from the file.
            if let before { for known in try self.fields(of: encoded(before.value)) { fields[known.key] = nil } }
            for new in try self.fields(of: encoded(value)) { fields[new.key] = new.value }
            let content = Data(PropertyListDocument.bytes(of: fields, as: format.encoding))
            try format.check(content)
            return content
        } catch {
            throw FileError(.undecodable, .encode, path, underlying: error)
        }
    }

    private static func value<Value: Decodable>(_ type: Value.Type, of list: StoredValue) throws -> Value {
        try PropertyListDecoder().decode(type, from: Data(PropertyListDocument.bytes(ofRoot: list, as: .binary)))
    }

    private static func encoded(_ value: some Encodable) throws -> StoredValue {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try PropertyListDocument.root(of: [UInt8](try encoder.encode(value)))
    }

    private static func fields(of list: StoredValue) throws -> StoredDictionary {
        guard case .dictionary(let fields) = list else {
            throw DecodingError.typeMismatch(
                [String: Any].self,
                DecodingError.Context(codingPath: [], debugDescription: "Settings are a structure with named fields.")
            )
        }
        return fields
    }
}
