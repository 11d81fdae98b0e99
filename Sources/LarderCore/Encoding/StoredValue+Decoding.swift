#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// Decodes one value from its canonical bytes.
    ///
    /// - Parameter bytes: The bytes of exactly one value in the format of ``encoded()``. Other bytes are rejected, and no input causes a
    ///   trap.
    /// - Throws: ``StoredValueFormatError`` with the offset of the first invalid item.
    /// - Complexity: Linear in the number of bytes.
    public init(decoding bytes: some Collection<UInt8>) throws(StoredValueFormatError) {
        let result = bytes.withContiguousStorageIfAvailable { Self.decoding(UnsafeRawBufferPointer($0)) }
        self = try (result ?? Array(bytes).withUnsafeBytes { Self.decoding($0) }).get()
    }

    /// Decodes one value from its canonical bytes.
    ///
    /// - Parameter bytes: The bytes of exactly one value in the format of ``encoded()``. The buffer is not used after this call returns.
    /// - Throws: ``StoredValueFormatError`` with the offset of the first invalid item.
    /// - Complexity: Linear in the number of bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoredValueFormatError) {
        self = try Self.decoding(bytes).get()
    }

    /// Decodes the canonical bytes of an integer on a fast path.
    ///
    /// Returns `nil` if `bytes` encode another kind of value, or an integer that the fast path does not handle.
    @inlinable @inline(__always)
    package static func integer(encodedAs bytes: UnsafeRawBufferPointer) -> Int64? {
        // A tag and a varint of at most eight groups of seven bits, in its shortest form.
        guard bytes.count > 1, bytes.count < 10, bytes[0] == 0x03 else { return nil }
        let last = bytes.count - 1
        var zigzag: UInt64 = 0
        for index in 1..<last {
            guard bytes[index] >= 0x80 else { return nil }
            zigzag |= UInt64(bytes[index] & 0x7F) << UInt64(7 * (index - 1))
        }
        guard bytes[last] < 0x80, bytes[last] > 0 || last == 1 else { return nil }
        zigzag |= UInt64(bytes[last]) << UInt64(7 * (last - 1))
        return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }

    /// Returns the byte offset at which the content of an encoded `.data` value begins.
    ///
    /// The content extends to the end of `bytes`.
    ///
    /// Returns `nil` if `bytes` encode a value of another kind or are invalid.
    package static func offsetOfData(encodedAs bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.first == StoredValueTag.data else { return nil }
        var reader = StoredValueReader(bytes, from: 1)
        // The error is dropped, because a full decode of the bytes reports the same reason.
        guard let data = try? reader.run(), reader.isAtEnd else { return nil }
        return bytes.count - data.count
    }

    /// Returns the beginning of a string, URL or data from the first bytes of its encoding, and its size in bytes.
    ///
    /// A string ends between two characters (Unicode scalars).
    ///
    /// - Parameters:
    ///   - bytes: The first bytes of the encoding.
    ///   - length: The length of the whole encoding in bytes.
    ///   - longest: The maximum number of bytes of the beginning.
    /// - Returns: The beginning, or `nil` if the value is not longer, is of another kind, or can't be decoded.
    package static func beginning(
        encodedAs bytes: UnsafeRawBufferPointer,
        of length: Int,
        longest: Int
    ) -> (value: StoredValue, size: Int)? {
        var reader = StoredValueReader(bytes)
        // A full decode of the bytes reports the reason.
        guard let (tag, start, size) = try? reader.headOfRun(), size == length - start, longest >= 0, size > longest,
            bytes.count - start >= longest
        else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: bytes[start..<start + longest])
        if tag == StoredValueTag.data { return (.data(Data(content)), size) }
        // The last character may have been cut, whose first bytes are at most three.
        for count in (max(0, longest - 3)...longest).reversed() {
            let whole = UnsafeRawBufferPointer(rebasing: content[..<count])
            guard let text = String(validating: whole, as: UTF8.self) else { continue }
            return (tag == StoredValueTag.url ? .url(text) : .string(text), size)
        }
        return nil
    }

    private static func decoding(_ bytes: UnsafeRawBufferPointer) -> Result<StoredValue, StoredValueFormatError> {
        Result { () throws(StoredValueFormatError) in
            var reader = StoredValueReader(bytes)
            let value = try reader.value(depth: maximumDepth)
            guard reader.isAtEnd else { throw reader.error(.trailingBytes) }
            return value
        }
    }
}

/// A strict decoder for the format in Documentation/Formats/stored-value-v1.md, which rejects any encoding that is not canonical.
private struct StoredValueReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }

    func error(_ code: StoredValueFormatError.Code) -> StoredValueFormatError {
        StoredValueFormatError(code, at: offset)
    }

    mutating func value(depth: Int) throws(StoredValueFormatError) -> StoredValue {
        let start = offset
        switch try byte() {
        case StoredValueTag.null: return .null
        case StoredValueTag.false: return .bool(false)
        case StoredValueTag.true: return .bool(true)
        case StoredValueTag.int:
            let zigzag = try varint()
            return .int(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1))
        case StoredValueTag.unsigned:
            let number: UInt64 = try fixed()
            guard number > UInt64(Int64.max) else { throw StoredValueFormatError(.notCanonical, at: start) }
            return .unsigned(number)
        case StoredValueTag.float:
            let bits: UInt32 = try fixed()
            let number = Float(bitPattern: bits)
            guard number.canonicalBits == bits else { throw StoredValueFormatError(.notCanonical, at: start) }
            return .float(number)
        case StoredValueTag.double: return .double(try double(from: start))
        case StoredValueTag.string: return .string(try text())
        case StoredValueTag.url: return .url(try text())
        case StoredValueTag.date:
            return .date(Date(timeIntervalSinceReferenceDate: try double(from: start)))
        case StoredValueTag.data: return .data(Data(try run()))
        case StoredValueTag.array:
            guard depth > 0 else { throw StoredValueFormatError(.nestedTooDeep, at: start) }
            return .array(try array(depth: depth - 1))
        case StoredValueTag.dictionary:
            guard depth > 0 else { throw StoredValueFormatError(.nestedTooDeep, at: start) }
            return .dictionary(try dictionary(depth: depth - 1))
        default: throw StoredValueFormatError(.unknownTag, at: start)
        }
    }

    private mutating func array(depth: Int) throws(StoredValueFormatError) -> [StoredValue] {
        let count = try count(smallestElement: 1)
        var elements: [StoredValue] = []
        elements.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count {
            if let integer = plainInteger() {
                elements.append(.int(integer))
            } else {
                elements.append(try value(depth: depth))
            }
        }
        return elements
    }

    /// Reads the next array element if the fast path for integers handles it, or returns `nil` without advancing.
    @inline(__always)
    private mutating func plainInteger() -> Int64? {
        let longest = 9
        guard bytes.count - offset > longest, bytes[offset] == StoredValueTag.int else { return nil }
        var zigzag: UInt64 = 0
        for index in 1..<longest {
            let byte = bytes[offset + index]
            zigzag |= UInt64(byte & 0x7F) << UInt64(7 * (index - 1))
            if byte < 0x80 {
                guard byte > 0 || index == 1 else { return nil }
                offset += index + 1
                return Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
            }
        }
        return nil
    }

    private mutating func dictionary(depth: Int) throws(StoredValueFormatError) -> StoredDictionary {
        let count = try count(smallestElement: 2)
        var entries: [StoredDictionary.Entry] = []
        entries.reserveCapacity(min(count, Self.trustedCount))
        for _ in 0..<count {
            let start = offset
            let key = try text()
            if let last = entries.last, !last.key.precedesByBytes(key) {
                throw StoredValueFormatError(.notCanonical, at: start)
            }
            entries.append(StoredDictionary.Entry(key: key, value: try value(depth: depth)))
        }
        return StoredDictionary(ascending: entries)
    }

    /// The maximum number of elements for which memory is reserved before decoding.
    ///
    /// The limit prevents a corrupt count from exhausting memory.
    private static let trustedCount = 4_096

    private mutating func byte() throws(StoredValueFormatError) -> UInt8 {
        guard offset < bytes.count else { throw error(.truncated) }
        defer { offset += 1 }
        return bytes[offset]
    }

    private mutating func fixed<Number: FixedWidthInteger & BitwiseCopyable>() throws(StoredValueFormatError) -> Number
    {
        guard bytes.count - offset >= MemoryLayout<Number>.size else { throw error(.truncated) }
        defer { offset += MemoryLayout<Number>.size }
        return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    private mutating func double(from start: Int) throws(StoredValueFormatError) -> Double {
        let bits: UInt64 = try fixed()
        let number = Double(bitPattern: bits)
        guard number.canonicalBits == bits else { throw StoredValueFormatError(.notCanonical, at: start) }
        return number
    }

    private mutating func varint() throws(StoredValueFormatError) -> UInt64 {
        let start = offset
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                // The last byte of a varint must not be zero, and the tenth byte has only one bit left.
                guard byte != 0 || shift == 0, shift < 63 || byte == 1 else {
                    throw StoredValueFormatError(.notCanonical, at: start)
                }
                return number
            }
            shift += 7
            guard shift <= 63 else { throw StoredValueFormatError(.notCanonical, at: start) }
        }
    }

    /// Reads an element count, and checks that this many elements fit in the remaining bytes.
    private mutating func count(smallestElement size: Int) throws(StoredValueFormatError) -> Int {
        let start = offset
        guard let count = Int(exactly: try varint()), count <= (bytes.count - offset) / size else {
            throw StoredValueFormatError(.truncated, at: start)
        }
        return count
    }

    /// Reads the tag and the length of a string, URL or data, and returns them with the offset at which the content begins.
    mutating func headOfRun() throws(StoredValueFormatError) -> (tag: UInt8, start: Int, size: Int) {
        let tag = try byte()
        guard tag == StoredValueTag.string || tag == StoredValueTag.url || tag == StoredValueTag.data,
            let size = Int(exactly: try varint())
        else { throw StoredValueFormatError(.unknownTag, at: 0) }
        return (tag, offset, size)
    }

    mutating func run() throws(StoredValueFormatError) -> UnsafeRawBufferPointer {
        let length = try count(smallestElement: 1)
        defer { offset += length }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
    }

    private mutating func text() throws(StoredValueFormatError) -> String {
        let start = offset
        guard let text = String(validating: try run(), as: UTF8.self) else {
            throw StoredValueFormatError(.invalidText, at: start)
        }
        return text
    }
}
