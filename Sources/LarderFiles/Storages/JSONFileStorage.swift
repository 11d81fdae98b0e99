public import Foundation

/// Keeps each value in a JSON text, indented and with sorted keys, so that versions of it compare well.
///
/// Dates are numbers of seconds since 2001 and data is Base64, both exact. NaN and infinity are refused.
public struct JSONFileStorage: FileStorage, CodingFileStorage {
    let fileSystem: any FileSystem

    /// A storage on the file system of the machine.
    public init() { self.init(on: .local) }

    package init(on fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    /// Reads a value.
    public func data<Value: Decodable>(for url: URL) throws -> Value { try read(url) }

    /// Puts a value in the place of whatever the file holds.
    public func write<Value: Encodable>(_ value: Value, to url: URL) throws { try replace(url, with: value) }

    /// Removes a file, if there is one.
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
