public import Foundation

/// A storage that writes each value to a file as JSON.
///
/// The JSON is indented and has sorted keys, so that versions of a file can be compared. Dates are written as seconds since 2001 and data
/// as Base64, both without loss. Writing NaN or infinity throws an error.
public struct JSONFileStorage: FileStorage, CodingFileStorage {
    let fileSystem: any FileSystem

    /// Creates a storage that writes JSON files to the local file system.
    public init() { self.init(on: .local) }

    package init(on fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// Reads and decodes the value in a file.
    public func data<Value: Decodable>(for url: URL) throws -> Value { try read(url) }

    /// Encodes a value and writes it to a file, replacing any existing contents.
    public func write<Value: Encodable>(_ value: Value, to url: URL) throws { try replace(url, with: value) }

    /// Removes a file if it exists.
    public func deleteFile(at url: URL) throws { try remove(url) }

    func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        try JSONDecoder().decode(type, from: content)
    }
}
