public import Foundation

/// Keeps each value in a property list.
public struct PListFileStorage: FileStorage, CodingFileStorage {
    let format: PropertyListFormat
    let fileSystem: any FileSystem

    /// A storage on the file system of the machine.
    ///
    /// - Parameter format: What is written; either is read.
    public init(format: PropertyListFormat = .xml) { self.init(format: format, on: .local) }

    package init(format: PropertyListFormat = .xml, on fileSystem: any FileSystem) {
        self.format = format
        self.fileSystem = fileSystem
    }

    /// Reads a value.
    public func data<Value: Decodable>(for url: URL) throws -> Value { try read(url) }

    /// Puts a value in the place of whatever the file holds.
    public func write<Value: Encodable>(_ value: Value, to url: URL) throws { try replace(url, with: value) }

    /// Removes a file, if there is one.
    public func deleteFile(at url: URL) throws { try remove(url) }

    func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format.serialized
        let content = try encoder.encode(value)
        try format.check(content)
        return content
    }

    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        try PropertyListDecoder().decode(type, from: content)
    }
}
