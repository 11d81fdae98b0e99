#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Encodes values in the format of Documentation/Formats/stored-value-v1.md.
extension StoredValue {
    /// Returns the canonical bytes of this value, as defined in `Documentation/Formats/stored-value-v1.md`.
    ///
    /// Equal values have equal bytes, and ``init(decoding:)-(Collection<UInt8>)`` returns an equal value.
    ///
    /// - Returns: The encoded bytes, without a length or a checksum.
    /// - Throws: ``StoredValueFormatError`` with code `nestedTooDeep` if arrays and dictionaries are nested too deeply.
    /// - Complexity: Linear in the size of the value.
    public func encoded() throws(StoredValueFormatError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encodedSize)
        try encode(into: &bytes)
        return bytes
    }

    /// Appends the canonical bytes of this value to a buffer.
    ///
    /// - Parameter bytes: The buffer to append to. If this method throws, part of the value may have been appended.
    /// - Throws: ``StoredValueFormatError`` with code `nestedTooDeep` if arrays and dictionaries are nested too deeply.
    package func encode(into bytes: inout [UInt8]) throws(StoredValueFormatError) {
        try append(to: &bytes, depth: Self.maximumDepth)
    }

    /// Writes the canonical bytes of this value to memory at `start`, which must have room for ``encodedSize`` bytes.
    ///
    /// - Returns: The number of bytes written.
    package func encode(to start: UnsafeMutableRawPointer) throws(StoredValueFormatError) -> Int {
        var sink = RawSink(start: start)
        try append(to: &sink, depth: Self.maximumDepth)
        return sink.count
    }

    /// Returns the size in bytes of the canonical encoding of an integer.
    @inlinable @inline(__always)
    package static func encodedSize(of integer: Int64) -> Int {
        let zigzag = UInt64(bitPattern: (integer << 1) ^ (integer >> 63))
        return 1 + (70 - (zigzag | 1).leadingZeroBitCount) / 7
    }

    /// Writes the canonical bytes of an integer to memory at `start`, and returns the number of bytes written.
    ///
    /// The memory must have room for ``encodedSize(of:)`` bytes.
    @inlinable @inline(__always)
    package static func encode(_ integer: Int64, to start: UnsafeMutableRawPointer) -> Int {
        var rest = UInt64(bitPattern: (integer << 1) ^ (integer >> 63))
        start.storeBytes(of: 0x03, as: UInt8.self)
        var count = 1
        while rest > 0x7F {
            start.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            rest >>= 7
            count += 1
        }
        start.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        return count + 1
    }

    /// The number of bytes that ``encode(into:)`` appends if the value can be encoded.
    package var encodedSize: Int { size(depth: Self.maximumDepth) }

    private func append(to bytes: inout some EncodingSink, depth: Int) throws(StoredValueFormatError) {
        switch self {
        case .null: bytes.append(StoredValueTag.null)
        case .bool(let truth): bytes.append(truth ? StoredValueTag.true : StoredValueTag.false)
        case .int(let number): Self.append(number, to: &bytes)
        case .unsigned(let number):
            if let signed = Int64(exactly: number) { return Self.append(signed, to: &bytes) }
            bytes.append(StoredValueTag.unsigned)
            bytes.appendLittleEndian(number)
        case .float(let number):
            bytes.append(StoredValueTag.float)
            bytes.appendLittleEndian(number.canonicalBits)
        case .double(let number):
            bytes.append(StoredValueTag.double)
            bytes.appendLittleEndian(number.canonicalBits)
        case .string(let text):
            bytes.append(StoredValueTag.string)
            bytes.append(text)
        case .url(let text):
            bytes.append(StoredValueTag.url)
            bytes.append(text)
        case .date(let date):
            bytes.append(StoredValueTag.date)
            bytes.appendLittleEndian(date.canonicalBits)
        case .data(let data):
            bytes.append(StoredValueTag.data)
            bytes.append(varint: UInt64(data.count))
            data.withUnsafeBytes { bytes.append($0) }
        case .array(let elements):
            guard depth > 0 else { throw StoredValueFormatError(.nestedTooDeep, at: bytes.count) }
            bytes.append(StoredValueTag.array)
            bytes.append(varint: UInt64(elements.count))
            for element in elements { try element.append(to: &bytes, depth: depth - 1) }
        case .dictionary(let entries):
            guard depth > 0 else { throw StoredValueFormatError(.nestedTooDeep, at: bytes.count) }
            bytes.append(StoredValueTag.dictionary)
            bytes.append(varint: UInt64(entries.count))
            for entry in entries {
                bytes.append(entry.key)
                try entry.value.append(to: &bytes, depth: depth - 1)
            }
        }
    }

    private static func append(_ number: Int64, to bytes: inout some EncodingSink) {
        bytes.append(StoredValueTag.int)
        bytes.append(varint: number.zigzag)
    }

    /// Returns the encoded size in bytes.
    ///
    /// Values nested deeper than `depth` levels are not counted, because they can't be encoded. The limit also bounds the recursion.
    private func size(depth: Int) -> Int {
        switch self {
        case .null, .bool: 1
        case .int(let number): 1 + number.zigzag.varintSize
        case .unsigned(let number): Int64(exactly: number).map { 1 + $0.zigzag.varintSize } ?? 9
        case .float: 5
        case .double, .date: 9
        case .string(let text), .url(let text): 1 + Self.size(of: text)
        case .data(let data): 1 + UInt64(data.count).varintSize + data.count
        case .array(let elements):
            depth == 0
                ? 0 : elements.reduce(1 + UInt64(elements.count).varintSize) { $0 + $1.size(depth: depth - 1) }
        case .dictionary(let entries):
            depth == 0
                ? 0
                : entries.reduce(1 + UInt64(entries.count).varintSize) {
                    $0 + Self.size(of: $1.key) + $1.value.size(depth: depth - 1)
                }
        }
    }

    private static func size(of text: String) -> Int { UInt64(text.utf8.count).varintSize + text.utf8.count }
}

/// The first byte of an encoded value, which identifies the value's kind.
enum StoredValueTag {
    static let null: UInt8 = 0x00
    static let `false`: UInt8 = 0x01
    static let `true`: UInt8 = 0x02
    static let int: UInt8 = 0x03
    static let unsigned: UInt8 = 0x04
    static let float: UInt8 = 0x05
    static let double: UInt8 = 0x06
    static let string: UInt8 = 0x07
    static let url: UInt8 = 0x08
    static let date: UInt8 = 0x09
    static let data: UInt8 = 0x0A
    static let array: UInt8 = 0x0B
    static let dictionary: UInt8 = 0x0C
}

extension Int64 {
    /// The zigzag encoding of this number, which maps 0, -1, 1, -2 to 0, 1, 2, 3 so that small numbers of either sign are short.
    fileprivate var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }
}

extension UInt64 {
    /// The size in bytes of this number as a varint, which holds seven bits per byte.
    fileprivate var varintSize: Int { Swift.max(1, (bitWidth - leadingZeroBitCount + 6) / 7) }
}

private protocol EncodingSink {
    var count: Int { get }
    mutating func append(_ byte: UInt8)
    mutating func append(_ bytes: UnsafeRawBufferPointer)
}

extension [UInt8]: EncodingSink {
    fileprivate mutating func append(_ bytes: UnsafeRawBufferPointer) { append(contentsOf: bytes) }
}

/// An encoding sink that writes to memory allocated by the caller, without bounds checks.
private struct RawSink: EncodingSink {
    let start: UnsafeMutableRawPointer
    var count = 0

    mutating func append(_ byte: UInt8) {
        start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(start: start + count, count: bytes.count).copyMemory(from: bytes)
        count += bytes.count
    }
}

extension EncodingSink {
    fileprivate mutating func append(varint number: UInt64) {
        var rest = number
        while rest > 0x7F {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            append(varint: UInt64(utf8.count))
            append(UnsafeRawBufferPointer(utf8))
        }
    }

    fileprivate mutating func appendLittleEndian(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append($0) }
    }
}
