#if Objects
internal import LarderFiles

/// A random-access byte source, backed by an open file or, in tests, by an array.
struct FileBytes {
    let count: Int
    private let body: (_ offset: Int, _ count: Int) throws -> [UInt8]

    init(_ file: any OpenFile) throws {
        count = try file.information().size
        body = { try file.read(at: $0, count: $1) }
    }

    init(_ bytes: [UInt8]) {
        count = bytes.count
        body = { Array(bytes[$0..<$0 + $1]) }
    }

    /// Returns `count` bytes at an offset, or `nil` if the range extends beyond the end or reading fails.
    func read(at offset: Int, count wanted: Int) -> [UInt8]? {
        guard offset >= 0, wanted >= 0, offset <= count - wanted else { return nil }
        // An unreadable range is treated as lost. The report counts the lost rows.
        guard let bytes = try? body(offset, wanted), bytes.count == wanted else { return nil }
        return bytes
    }
}

/// Accessors for the big-endian integers of SQLite's file format.
///
/// The caller must check the bounds.
extension [UInt8] {
    func uint16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    func uint32(at offset: Int) -> Int { uint16(at: offset) << 16 | uint16(at: offset + 2) }

    /// Returns the signed big-endian integer of 1 to 8 bytes at an offset.
    func integer(at offset: Int, count: Int) -> Int64 {
        var value: UInt64 = self[offset] >= 0x80 ? .max : 0
        for place in offset..<offset + count { value = value << 8 | UInt64(self[place]) }
        return Int64(bitPattern: value)
    }

    /// Returns a variable-length integer and the offset of the next byte, or `nil` if the integer extends beyond `end`.
    func varint(at offset: Int, before end: Int) -> (value: UInt64, next: Int)? {
        var value: UInt64 = 0
        var place = offset
        while place < end {
            let byte = self[place]
            place += 1
            // All eight bits of the ninth byte belong to the value.
            if place - offset == 9 { return (value << 8 | UInt64(byte), place) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (value, place) }
        }
        return nil
    }
}
#endif
