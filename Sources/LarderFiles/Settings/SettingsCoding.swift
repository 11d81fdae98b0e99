import Foundation

/// The top level of a settings file, as bytes: parsed again when needed, since parsed property lists are not Sendable.
struct SettingsFields: Sendable {
    let content: Data
}

/// Between a settings value and the content of its file.
enum SettingsCoding {
    /// The value, with what it requires and the file lacks taken from the defaults.
    static func decode<Value: Codable>(
        _ type: Value.Type,
        from content: Data,
        defaults: Value,
        _ path: String
    ) throws -> (Value, SettingsFields) {
        do {
            return (try PropertyListDecoder().decode(type, from: content), SettingsFields(content: content))
        } catch DecodingError.keyNotFound {
            return (try decodeCompleting(type, from: content, defaults, path), SettingsFields(content: content))
        } catch {
            throw FileError(.undecodable, .decode, path, underlying: error)
        }
    }

    private static func decodeCompleting<Value: Codable>(
        _ type: Value.Type,
        from content: Data,
        _ defaults: Value,
        _ path: String
    ) throws -> Value {
        do {
            var fields = try dictionary(content)
            let defaultFields = try dictionary(try encoded(defaults))
            while true {
                let completed = try PropertyListSerialization.data(
                    fromPropertyList: fields,
                    format: .binary,
                    options: 0
                )
                do {
                    return try PropertyListDecoder().decode(type, from: completed)
                } catch DecodingError.keyNotFound(let key, let context) {
                    // Only what is missing: an optional that is absent is nil on purpose.
                    guard context.codingPath.isEmpty, let field = defaultFields[key.stringValue] else {
                        throw DecodingError.keyNotFound(key, context)
                    }
                    guard fields.updateValue(field, forKey: key.stringValue) == nil else {
                        throw DecodingError.keyNotFound(key, context)
                    }
                }
            }
        } catch {
            throw FileError(.undecodable, .decode, path, underlying: error)
        }
    }

    /// The content for `value`, with the fields of the file before that the type does not know.
    static func encode<Value: Codable & Sendable>(
        _ value: Value,
        after before: CachedSettings<Value>?,
        defaults: Value,
        _ format: PropertyListFormat,
        _ path: String
    ) throws -> Data {
        do {
            var fields = try before.map { try dictionary($0.fields.content) } ?? [:]
            // What the type wrote of the earlier value is what it knows: gone from the new one, it is gone from the file.
            if let before { for known in try dictionary(try encoded(before.value)).keys { fields[known] = nil } }
            fields.merge(try dictionary(try encoded(value))) { _, new in new }
            let content = try PropertyListSerialization.data(
                fromPropertyList: fields,
                format: format.serialized,
                options: 0
            )
            try format.check(content)
            return content
        } catch {
            throw FileError(.undecodable, .encode, path, underlying: error)
        }
    }

    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(value)
    }

    private static func dictionary(_ content: Data) throws -> [String: Any] {
        guard let fields = try PropertyListSerialization.propertyList(from: content, format: nil) as? [String: Any]
        else {
            throw DecodingError.typeMismatch(
                [String: Any].self,
                DecodingError.Context(codingPath: [], debugDescription: "Settings are a structure with named fields.")
            )
        }
        return fields
    }
}
