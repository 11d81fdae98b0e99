public import Foundation

/// A storage that writes each value to a file as a property list.
///
/// Property lists may nest at most 128 levels deep.
public struct PListFileStorage: FileStorage, CodingFileStorage {
    let format: PListFormat
    let fileSystem: any FileSystem

    /// Creates a storage that writes property list files to the local file system.
    ///
    /// - Parameter format: The format of written files. Files in either format can be read.
    public init(format: PListFormat = .xml) { self.init(format: format, on: .local) }

    package init(format: PListFormat = .xml, on fileSystem: any FileSystem) {
        self.format = format
        self.fileSystem = fileSystem
    }

    /// Reads and decodes the value in a file.
    public func data<Value: Decodable>(for url: URL) throws -> Value { try read(url) }

    /// Encodes a value and writes it to a file, replacing any previous content.
    public func write<Value: Encodable>(_ value: Value, to url: URL) throws { try replace(url, with: value) }

    /// Removes a file if it exists.
    public func deleteFile(at url: URL) throws { try remove(url) }

    func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let content = try PropertyListCoding.encode(value, as: format)
        try format.check(content)
        return content
    }

    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value {
        try PropertyListCoding.decode(type, from: content)
    }
}
