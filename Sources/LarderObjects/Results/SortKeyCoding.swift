#if Objects
internal import Foundation

/// The order-preserving encoding of column values in a ``SortKey``.
///
/// A value is a byte for its type, and content that compares like the value:
/// - An integer's type also contains the number of its significant bytes, which follow with the highest first. A negative integer has the
///   inverted bytes of its complement.
/// - A floating-point number is its bit pattern, changed to compare like an unsigned integer.
/// - A string or blob ends in the bytes 0 and 1. A byte 0 in its content is followed by the byte 0xFF.
///
/// The bytes of a descending value are inverted. Type bytes are below 0x80, so an inverted value is recognized by its first byte.
enum SortKeyCoding {
    private static let null: UInt8 = 0x01
    /// The type of zero.
    ///
    /// Types up to 8 above it are positive integers, and types up to 9 below it negative integers.
    private static let zero: UInt8 = 0x20
    private static let real: UInt8 = 0x30
    private static let text: UInt8 = 0x40
    private static let blob: UInt8 = 0x50

    static func append(_ value: ColumnValue, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(null)
        case .integer(let integer): append(integer, to: &bytes)
        case .real(let number):
            bytes.append(real)
            // SQLite regards 0 and -0 as equal.
            let pattern = number == 0 ? 0 : number.bitPattern
            append(pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern, count: 8, to: &bytes)
        case .text(let string): append(text, string.utf8, to: &bytes)
        case .blob(let data): append(blob, data, to: &bytes)
        }
    }

    private static func append(_ integer: Int64, to bytes: inout [UInt8]) {
        let magnitude = UInt64(bitPattern: integer < 0 ? ~integer : integer)
        let count = (64 - magnitude.leadingZeroBitCount + 7) / 8
        bytes.append(integer < 0 ? zero - 1 - UInt8(count) : zero + UInt8(count))
        append(integer < 0 ? ~magnitude : magnitude, count: count, to: &bytes)
    }

    private static func append(_ word: UInt64, count: Int, to bytes: inout [UInt8]) {
        for place in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * place))) }
    }

    private static func append(_ type: UInt8, _ content: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(type)
        for byte in content {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
        bytes += [0, 1]
    }

    /// Returns the value at the beginning of an encoding, and the number of its bytes.
    static func value(at bytes: [UInt8]) -> (value: ColumnValue, count: Int) {
        guard let type = bytes.first else { return (.null, 0) }
        let mask: UInt8 = type < 0x80 ? 0 : 0xFF
        switch type ^ mask {
        case zero - 9...zero + 8: return integer(at: bytes, mask)
        case real:
            let pattern = word(bytes[1..<9], mask)
            return (.real(Double(bitPattern: pattern >> 63 == 1 ? pattern & ~(1 << 63) : ~pattern)), 9)
        case text:
            let (content, count) = content(of: bytes, mask)
            return (.text(String(decoding: content, as: UTF8.self)), count)
        case blob:
            let (content, count) = content(of: bytes, mask)
            return (.blob(Data(content)), count)
        default: return (.null, 1)
        }
    }

    private static func integer(at bytes: [UInt8], _ mask: UInt8) -> (ColumnValue, Int) {
        let type = bytes[0] ^ mask
        let isNegative = type < zero
        let count = Int(isNegative ? zero - 1 - type : type - zero)
        // The bytes of a negative integer continue with ones.
        let high = isNegative && count < 8 ? UInt64.max << (8 * UInt64(count)) : 0
        return (.integer(Int64(bitPattern: high | word(bytes[1..<1 + count], mask))), 1 + count)
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ mask: UInt8) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1 ^ mask) }
    }

    private static func content(of bytes: [UInt8], _ mask: UInt8) -> (content: [UInt8], count: Int) {
        var content: [UInt8] = []
        var place = 1
        while bytes[place] ^ mask != 0 || bytes[place + 1] ^ mask == 0xFF {
            content.append(bytes[place] ^ mask)
            place += bytes[place] ^ mask == 0 ? 2 : 1
        }
        return (content, place + 2)
    }
}
#endif
