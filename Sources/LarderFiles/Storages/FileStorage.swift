public import Foundation

/// A type that stores `Codable` values in files, with one value per file.
///
/// All methods are thread-safe and block the current thread on disk I/O. Writes are atomic: at any time, even after a crash, a file
/// contains either the old or the new value.
public protocol FileStorage: Sendable {
    /// Reads and decodes the value in a file.
    ///
    /// - Parameter url: The URL of the file.
    /// - Returns: The decoded value.
    /// - Throws: ``FileError`` with code `notFound` if the file does not exist, or `undecodable` with the `DecodingError` as its cause if
    ///   the content can't be decoded as a `Value`. The file is not changed.
    func data<Value: Decodable>(for url: URL) throws -> Value

    /// Encodes a value and writes it to a file, replacing any earlier content.
    ///
    /// The value is durable when this call returns. Only the owner can read a new file. The folder must exist.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - url: The URL of the file.
    /// - Throws: ``FileError``, with code `undecodable` and the `EncodingError` as its cause if the value can't be encoded in the storage's
    ///   format. The file is not changed.
    func write<Value: Encodable>(_ value: Value, to url: URL) throws

    /// Removes a file if it exists.
    ///
    /// - Parameter url: The URL of the file.
    /// - Throws: ``FileError`` if the file can't be removed.
    func deleteFile(at url: URL) throws
}

/// A file storage that leaves only the encoding and decoding of values to conforming types.
protocol CodingFileStorage: FileStorage {
    var fileSystem: any FileSystem { get }
    func encode<Value: Encodable>(_ value: Value) throws -> Data
    func decode<Value: Decodable>(_ type: Value.Type, from content: Data) throws -> Value
}

extension CodingFileStorage {
    func read<Value: Decodable>(_ url: URL) throws -> Value {
        let path = try url.filePath(for: .read)
        let content = try fileSystem.contents(of: path)
        do {
            return try decode(Value.self, from: content)
        } catch {
            throw FileError(.undecodable, .decode, path, underlying: error)
        }
    }

    func replace(_ url: URL, with value: some Encodable) throws {
        let path = try url.filePath(for: .write)
        let content: Data
        do {
            content = try encode(value)
        } catch {
            throw FileError(.undecodable, .encode, path, underlying: error)
        }
        try fileSystem.replaceContents(of: path, with: content)
    }

    func remove(_ url: URL) throws {
        try fileSystem.removeIfPresent(try url.filePath(for: .remove))
    }
}

extension URL {
    /// Returns the path of this URL, or throws ``FileError`` with code `invalidPath` if this URL is not a file URL.
    func filePath(for operation: FileError.Operation) throws -> String {
        guard isFileURL else {
            throw FileError(.invalidPath, operation, absoluteString, detail: "it is not a file URL")
        }
        return path
    }
}
