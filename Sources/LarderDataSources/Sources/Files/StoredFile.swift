import Foundation
import LarderCore
import LarderFiles

/// A decoded file of a ``FileSystemStorageDataSource``; see `Documentation/Formats/file-storage-v1.md`.
struct StoredFile {
    typealias Content = Held<Data>

    let content: Content
    /// The key that the file contains, or `nil` for a plain file, which contains only a value.
    let key: String?

    /// The bytes at the beginning of every file that has a header.
    ///
    /// No text file begins with these bytes.
    private static let signature: [UInt8] = [0x89, 0x4C, 0x44, 0x53, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let version: UInt8 = 1
    private static let checksumLength = 4

    init(_ content: Content, key: String?) {
        self.content = content
        self.key = key
    }

    /// Decodes the bytes of a file.
    ///
    /// A file without a header is decoded as a plain value.
    ///
    /// - Throws: `CoreError.DataSerialization` if the file has a header and is corrupt or was written by a later version.
    init(_ bytes: Data, at path: String) throws {
        guard bytes.starts(with: Self.signature) else {
            self.init(.value(bytes), key: nil)
            return
        }
        func damaged(_ what: String) -> CoreError.DataSerialization {
            CoreError.DataSerialization(
                "The file \(path.debugDescription) can't be read because it \(what). Delete the value, or write a new one."
            )
        }
        var reader = ByteReader(bytes.dropFirst(Self.signature.count).dropLast(Self.checksumLength))
        let version = reader.byte()
        guard version == Self.version else {
            throw damaged(version == nil ? "ends too early" : "was written by a later version of Larder")
        }
        let checked = bytes.dropLast(Self.checksumLength)
        let checksum = Array(checked).withUnsafeBytes { CRC32C.of($0) }
        guard bytes.suffix(Self.checksumLength).elementsEqual(Self.bytes(checksum)) else { throw damaged("is corrupt") }
        guard let kind = reader.byte(), let keyLength = reader.number(UInt32.self),
            let keyBytes = reader.bytes(Int(keyLength)), let key = String(validating: keyBytes, as: UTF8.self)
        else { throw damaged("is corrupt") }
        switch kind {
        case 0: self.init(.value(reader.rest()), key: key)
        case 1:
            guard let count = reader.number(UInt32.self) else { throw damaged("is corrupt") }
            var list: [Data] = []
            for _ in 0..<count {
                guard let length = reader.number(UInt64.self), let element = reader.bytes(Int(clamping: length)) else {
                    throw damaged("is corrupt")
                }
                list.append(element)
            }
            guard reader.isAtEnd else { throw damaged("is corrupt") }
            self.init(.list(list), key: key)
        default: throw damaged("is corrupt")
        }
    }

    /// Encodes the value or list stored under a key as the bytes of a file.
    ///
    /// The file contains only the value if the key can be derived from the file's name and the value does not begin with the signature of a
    /// header.
    static func encoded(_ content: Content, key: String, nameTellsKey: Bool) -> Data {
        if case .value(let value) = content, nameTellsKey, !value.starts(with: signature) { return value }
        var data = Data(signature)
        data.append(version)
        switch content {
        case .value: data.append(0)
        case .list: data.append(1)
        }
        data.append(contentsOf: bytes(UInt32(key.utf8.count)))
        data.append(contentsOf: key.utf8)
        switch content {
        case .value(let value): data.append(value)
        case .list(let list):
            data.append(contentsOf: bytes(UInt32(list.count)))
            for element in list {
                data.append(contentsOf: bytes(UInt64(element.count)))
                data.append(element)
            }
        }
        data.append(contentsOf: bytes(Array(data).withUnsafeBytes { CRC32C.of($0) }))
        return data
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// A reader that decodes numbers and bytes from the front of a `Data` value.
///
/// The reading methods return `nil` if too few bytes are left.
private struct ByteReader {
    private var left: Data

    init(_ bytes: Data) { left = bytes }

    var isAtEnd: Bool { left.isEmpty }

    mutating func byte() -> UInt8? { left.popFirst() }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_ type: Number.Type) -> Number? {
        bytes(Number.bitWidth / 8).map { $0.reversed().reduce(0) { $0 << 8 | Number($1) } }
    }

    mutating func bytes(_ count: Int) -> Data? {
        guard left.count >= count else { return nil }
        defer { left = left.dropFirst(count) }
        return Data(left.prefix(count))
    }

    mutating func rest() -> Data {
        defer { left = Data() }
        return Data(left)
    }
}
