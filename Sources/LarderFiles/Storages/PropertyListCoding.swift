package import Foundation
package import LarderCore

/// A namespace for functions that convert between `Codable` values and the property lists in files.
///
/// Larder parses and rewrites each property list before Foundation decodes it, because Foundation's reader crashes on some corrupt files
/// and does not terminate if a container contains itself.
package enum PropertyListCoding {
    /// Decodes a value from a property list in the XML or binary format.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - content: The complete property list.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError`, with case `dataCorrupted` if the bytes are not a valid property list.
    package static func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        let list: StoredValue
        do { list = try PropertyListDocument.root(of: XMLEncoding.inUTF8([UInt8](content))) } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "The data is not a property list: \(error)",
                    underlyingError: error
                )
            )
        }
        return try decode(type, from: list)
    }

    /// Decodes a value from a parsed property list.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - list: The root of the property list.
    /// - Returns: The decoded value.
    /// - Throws: `DecodingError` if the property list does not match `type`.
    package static func decode<Value: Decodable>(_ type: Value.Type, from list: StoredValue) throws -> Value {
        try PropertyListDecoder().decode(type, from: Data(PropertyListDocument.bytes(ofRoot: list, as: .binary)))
    }

    /// Encodes a value as a property list that ``decode(_:from:)-(_,Data)`` can read.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - format: The format of the property list.
    /// - Returns: The bytes of the property list.
    /// - Throws: `EncodingError` if the value can't be encoded, or is nested too deeply to be read again.
    package static func encode(_ value: some Encodable, as format: PListFormat) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format.serialized
        let content = try encoder.encode(value)
        do { _ = try PropertyListDocument.root(of: [UInt8](content)) } catch {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "The property list could not be read back: \(error)",
                    underlyingError: error
                )
            )
        }
        return content
    }
}
