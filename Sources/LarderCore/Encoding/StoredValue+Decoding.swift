#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension StoredValue {
    /// Reads the canonical bytes of one value.
    ///
    /// - Parameter bytes: Exactly one encoding as ``encoded()`` makes it; any other bytes are refused, and none make it trap.
    /// - Throws: ``StoredValueFormatError``, which says where.
    /// - Complexity: Linear in the number of bytes.
    public init(decoding bytes: some Collection<UInt8>) throws(StoredValueFormatError) {
        let result = bytes.withContiguousStorageIfAvailable { Self.decoding(UnsafeRawBufferPointer($0)) }
        self = try (result ?? Array(bytes).withUnsafeBytes { Self.decoding($0) }).get()
    }

    /// Reads the canonical bytes of one value.
    ///
    /// - Parameter bytes: Exactly one encoding as ``encoded()`` makes it; not used after this returns.
    /// - Throws: ``StoredValueFormatError``, which says where.
    /// - Complexity: Linear in the number of bytes.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoredValueFormatError) {
        self = try Self.decoding(bytes).get()
    }

    /// The integer that `bytes` are the canonical encoding of; `nil` for anything else, and where it takes a closer look.
    ///
    /// What most entries of most stores are, without the detour over a reader that may throw.
    @inlinable @inline(__always)
    package static func integer(encodedAs bytes: UnsafeRawBufferPointer) -> Int64? {
        // A tag, and a number of at most eight groups of seven bits, in its shortest form.
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

    private static func decoding(_ bytes: UnsafeRawBufferPointer) -> Result<StoredValue, StoredValueFormatError> {
        Result { () throws(StoredValueFormatError) in
            var reader = StoredValueReader(bytes)
            let value = try reader.value(depth: maximumDepth)
            guard reader.isAtEnd else { throw reader.error(.trailingBytes) }
            return value
        }
    }
}

/// Reads Documentation/Formats/stored-value-v1.md, checking every rule of it.
private struct StoredValueReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

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
        for _ in 0..<count { elements.append(try value(depth: depth)) }
        return elements
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

    /// How many elements get their room before they have been seen: a value in memory is larger than its one byte in a file.
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
                // A last byte of zero adds nothing, and of the tenth only one bit is left.
                guard byte != 0 || shift == 0, shift < 63 || byte == 1 else {
                    throw StoredValueFormatError(.notCanonical, at: start)
                }
                return number
            }
            shift += 7
            guard shift <= 63 else { throw StoredValueFormatError(.notCanonical, at: start) }
        }
    }

    /// A number of items that the bytes left can hold.
    private mutating func count(smallestElement size: Int) throws(StoredValueFormatError) -> Int {
        let start = offset
        guard let count = Int(exactly: try varint()), count <= (bytes.count - offset) / size else {
            throw StoredValueFormatError(.truncated, at: start)
        }
        return count
    }

    private mutating func run() throws(StoredValueFormatError) -> UnsafeRawBufferPointer {
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
