#if Objects
internal import Foundation

/// The columns of one row in a ``RowPage``, which somebody else holds; texts and bytes are decoded when they are asked for.
///
/// First comes where each column begins and what it is, two bytes each (eight in a wide page), and where the last one ends; then
/// the columns themselves: integers in as few bytes as they need, floating-point numbers in eight, texts and bytes as they are.
struct PackedRow {
    enum Tag: UInt8 {
        case null, integer, real, text, blob
    }

    let start: UnsafeRawPointer
    let isWide: Bool

    /// How many of the bits of a place say where it is; the three above say what it is.
    static let narrowBits = 13
    static let wideBits = 61

    /// The bytes of places in a row of `columns` columns.
    static func header(_ columns: Int, isWide: Bool) -> Int { (columns + 1) * (isWide ? 8 : 2) }

    /// What a column holds, and its bytes.
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

    /// The value of a column.
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

    /// Whether a column holds exactly this value, without making one of it.
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

    /// The integer in a column, without making a value of it.
    func integer(at column: Int) -> Int64? {
        let (tag, bytes) = content(of: column)
        return tag == .integer ? Self.integer(bytes) : nil
    }

    /// In how many bytes an integer is kept.
    @inline(__always)
    static func byteCount(_ integer: Int64) -> Int {
        if integer == 0 { return 0 }
        if integer == Int64(Int8(truncatingIfNeeded: integer)) { return 1 }
        if integer == Int64(Int16(truncatingIfNeeded: integer)) { return 2 }
        return integer == Int64(Int32(truncatingIfNeeded: integer)) ? 4 : 8
    }

    /// The integer in 0, 1, 2, 4 or 8 bytes.
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

    /// The floating-point number in 8 bytes.
    @inline(__always)
    static func real(_ bytes: UnsafeRawBufferPointer) -> Double {
        Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
    }
}
#endif
