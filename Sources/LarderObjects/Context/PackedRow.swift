#if Objects
internal import Foundation

/// The columns of one row in a ``RowPage``.
///
/// The caller must retain the page.
///
/// The row starts with a table that contains the type and offset of each column, and the offset where the last column ends. A table entry
/// takes 2 bytes, or 8 in a wide page. The columns follow the table. Integers take as few bytes as they need, floating-point numbers take 8
/// bytes, and strings and blobs are stored unchanged.
struct PackedRow {
    enum Tag: UInt8 {
        case null, integer, real, text, blob
    }

    let start: UnsafeRawPointer
    let isWide: Bool

    /// The number of offset bits in a 2-byte table entry; the remaining 3 bits hold the type.
    static let narrowBits = 13
    static let wideBits = 61

    /// Returns the size in bytes of the offset table for a row with `columns` columns.
    static func header(_ columns: Int, isWide: Bool) -> Int { (columns + 1) * (isWide ? 8 : 2) }

    /// Returns the type and the bytes of a column.
    @inline(__always)
    func content(of column: Int) -> (tag: Tag?, bytes: UnsafeRawBufferPointer) {
        let (tag, from, to): (UInt8, Int, Int)
        if isWide {
            let place = start.loadUnaligned(fromByteOffset: column * 8, as: UInt64.self)
            let next = start.loadUnaligned(fromByteOffset: column * 8 + 8, as: UInt64.self)
            let mask: UInt64 = 1 << Self.wideBits - 1
            (tag, from, to) = (UInt8(place >> Self.wideBits), Int(place & mask), Int(next & mask))
        } else {
            let place = start.loadUnaligned(fromByteOffset: column * 2, as: UInt16.self)
            let next = start.loadUnaligned(fromByteOffset: column * 2 + 2, as: UInt16.self)
            let mask: UInt16 = 1 << Self.narrowBits - 1
            (tag, from, to) = (UInt8(place >> Self.narrowBits), Int(place & mask), Int(next & mask))
        }
        return (Tag(rawValue: tag), UnsafeRawBufferPointer(start: start + from, count: to - from))
    }

    func value(at column: Int) -> ColumnValue {
        let (tag, bytes) = content(of: column)
        switch tag {
        case .integer: return .integer(Self.integer(bytes))
        case .real: return .real(Self.real(bytes))
        case .text: return .text(String(decoding: bytes, as: UTF8.self))
        case .blob: return .blob(Data(bytes))
        case .null, nil: return .null
        }
    }

    /// Returns whether a column equals a value, without decoding the column.
    func holds(_ value: ColumnValue, at column: Int) -> Bool {
        let (tag, stored) = content(of: column)
        func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard bytes.count == stored.count else { return false }
            guard let first = bytes.baseAddress, let second = stored.baseAddress else { return true }
            return memcmp(first, second, bytes.count) == 0
        }
        switch (tag, value) {
        case (.null, .null): return true
        case (.integer, .integer(let integer)): return Self.integer(stored) == integer
        case (.real, .real(let real)): return Self.real(stored).bitPattern == real.bitPattern
        case (.text, .text(var text)): return text.withUTF8 { holds(UnsafeRawBufferPointer($0)) }
        case (.blob, .blob(let data)): return data.withUnsafeBytes { holds($0) }
        default: return false
        }
    }

    /// Returns the integer in a column, or `nil` if the column has another type.
    ///
    /// This method doesn't create a ``ColumnValue``.
    func integer(at column: Int) -> Int64? {
        let (tag, bytes) = content(of: column)
        return tag == .integer ? Self.integer(bytes) : nil
    }

    /// Returns the number of bytes that a packed integer takes.
    @inline(__always)
    static func byteCount(_ integer: Int64) -> Int {
        if integer == 0 { return 0 }
        if integer == Int64(Int8(truncatingIfNeeded: integer)) { return 1 }
        if integer == Int64(Int16(truncatingIfNeeded: integer)) { return 2 }
        return integer == Int64(Int32(truncatingIfNeeded: integer)) ? 4 : 8
    }

    /// Decodes an integer from 0, 1, 2, 4 or 8 bytes.
    @inline(__always)
    static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        switch bytes.count {
        case 0: 0
        case 1: Int64(bytes.loadUnaligned(as: Int8.self))
        case 2: Int64(Int16(littleEndian: bytes.loadUnaligned(as: Int16.self)))
        case 4: Int64(Int32(littleEndian: bytes.loadUnaligned(as: Int32.self)))
        default: Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
        }
    }

    /// Decodes a floating-point number from 8 bytes.
    @inline(__always)
    static func real(_ bytes: UnsafeRawBufferPointer) -> Double {
        Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
    }
}
#endif
