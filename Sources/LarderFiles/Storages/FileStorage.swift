public import Foundation

/// Keeps Codable values in files, one value a file.
///
/// Every method may be called from any thread, and blocks it for the time the disk takes. Writing is atomic: a reader, and
/// whoever comes after a crash, finds the old value or the new one.
public protocol FileStorage: Sendable {
    /// Reads a value.
    ///
    /// - Parameter url: The file.
    /// - Returns: The value.
    /// - Throws: ``FileError``: `notFound` when there is no file, `undecodable` with the `DecodingError` beneath when its
    ///   content is no such value. The file is left as it is.
    func data<Value: Decodable>(for url: URL) throws -> Value

    /// Puts a value in the place of whatever the file holds. It survives power loss when the call returns.
    ///
    /// A new file is readable by its owner only; the folder must exist.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - url: The file.
    /// - Throws: ``FileError``: `undecodable` with the `EncodingError` beneath when the format can't hold the value. The
    ///   file is as it was.
    func write<Value: Encodable>(_ value: Value, to url: URL) throws

    /// Removes a file. It is no error when there is none.
    ///
    /// - Parameter url: The file.
    /// - Throws: ``FileError``; the file is still there.
    func deleteFile(at url: URL) throws
}

/// What the storages of this module share: they differ in how a value becomes bytes.
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
    /// The path of a file URL.
    func filePath(for operation: FileError.Operation) throws -> String {
        guard isFileURL else {
            throw FileError(.invalidPath, operation, absoluteString, detail: "only a file URL names a file")
        }
        return path
    }
}
