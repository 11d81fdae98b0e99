import Foundation
import LarderCore

/// A namespace for functions that convert between a settings value and the property list in a settings file.
///
/// Larder has its own property list reader, because Foundation's readers crash on some corrupt property lists.
enum SettingsCoding {
    /// Decodes a settings value from an encoded property list, and returns the value and the parsed property list.
    ///
    /// Missing required fields are taken from the defaults.
    static func decode<Value: Codable>(
        _ type: Value.Type,
        from content: Data,
        defaults: Value,
        _ path: String
    ) throws -> (Value, StoredValue) {
        do {
            let list = try PropertyListDocument.root(of: XMLEncoding.inUTF8([UInt8](content)))
            do {
                return (try PropertyListCoding.decode(type, from: list), list)
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
                return try PropertyListCoding.decode(type, from: .dictionary(fields))
            } catch DecodingError.keyNotFound(let key, let context) {
                // A default replaces only a missing required field, because a missing optional field means `nil`.
                guard context.codingPath.isEmpty, fields[key.stringValue] == nil,
                    let field = defaultFields[key.stringValue]
                else { throw DecodingError.keyNotFound(key, context) }
                fields[key.stringValue] = field
            }
        }
    }

    /// Encodes `value` as a property list, preserving fields of the existing file that `Value` does not declare.
    static func encode<Value: Codable & Sendable>(
        _ value: Value,
        after before: CachedSettings<Value>?,
        _ format: PListFormat,
        _ path: String
    ) throws -> Data {
        do {
            var fields = try before.map { try self.fields(of: $0.list) } ?? [:]
            // A field that the former value encodes and the new value does not encode is removed from the file.
            if let before { for known in try self.fields(of: encoded(before.value)) { fields[known.key] = nil } }
            for new in try self.fields(of: encoded(value)) { fields[new.key] = new.value }
            let content = Data(PropertyListDocument.bytes(of: fields, as: format.encoding))
            try format.check(content)
            return content
        } catch {
            throw FileError(.undecodable, .encode, path, underlying: error)
        }
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
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "Settings must be a struct with stored properties."
                )
            )
        }
        return fields
    }
}
