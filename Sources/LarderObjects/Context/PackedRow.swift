#if Objects
internal import Foundation

/// The columns of one row as they were read, in one block of memory; texts and bytes are decoded when they are asked for.
///
/// First a slot of eight bytes for each column: the number, or offset and length of the text or bytes. Then a byte for
/// each column that says what the slot is, then the texts and bytes themselves.
final class PackedRow: ManagedBuffer<PackedRow.Header, UInt64> {
    struct Header {
        var columns: Int
    }

    enum Tag: UInt8 {
        case null, integer, real, text, blob
    }

    /// Room for `columns` columns and `payload` bytes of text and blobs.
    static func allocate(columns: Int, payload: Int) -> PackedRow {
        let words = columns + (columns + payload + 7) / 8
        let made = create(minimumCapacity: words) { _ in Header(columns: columns) }
        return unsafeDowncast(made, to: PackedRow.self)
    }

    /// A row of values.
    static func packing(_ values: [ColumnValue]) -> PackedRow {
        var payload: [UInt8] = []
        var slots: [(Tag, UInt64)] = []
        func slot(_ tag: Tag, _ bytes: some Collection<UInt8>) -> (Tag, UInt64) {
            defer { payload.append(contentsOf: bytes) }
            return (tag, UInt64(values.count + payload.count) << 32 | UInt64(bytes.count))
        }
        for value in values {
            switch value {
            case .null: slots.append((.null, 0))
            case .integer(let integer): slots.append((.integer, UInt64(bitPattern: integer)))
            case .real(let real): slots.append((.real, real.bitPattern))
            case .text(let text): slots.append(slot(.text, text.utf8))
            case .blob(let data): slots.append(slot(.blob, data))
            }
        }
        let row = allocate(columns: values.count, payload: payload.count)
        row.withUnsafeMutablePointers { _, words in
            let tags = UnsafeMutableRawPointer(words + values.count)
            for (place, slot) in slots.enumerated() {
                words[place] = slot.1
                tags.storeBytes(of: slot.0.rawValue, toByteOffset: place, as: UInt8.self)
            }
            payload.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress {
                    (tags + values.count).copyMemory(from: start, byteCount: bytes.count)
                }
            }
        }
        return row
    }

    /// The value of a column.
    func value(at column: Int) -> ColumnValue {
        withUnsafeMutablePointers { header, slots in
            let tags = UnsafeMutableRawPointer(slots + header.pointee.columns)
            let slot = slots[column]
            switch Tag(rawValue: tags.load(fromByteOffset: column, as: UInt8.self)) {
            case .integer: return .integer(Int64(bitPattern: slot))
            case .real: return .real(Double(bitPattern: slot))
            case .text:
                let bytes = UnsafeRawBufferPointer(start: tags + Int(slot >> 32), count: Int(slot & 0xFFFF_FFFF))
                return .text(String(decoding: bytes, as: UTF8.self))
            case .blob:
                return .blob(Data(bytes: tags + Int(slot >> 32), count: Int(slot & 0xFFFF_FFFF)))
            case .null, nil: return .null
            }
        }
    }

    /// Whether a column holds exactly this value, without making one of it.
    func holds(_ value: ColumnValue, at column: Int) -> Bool {
        withUnsafeMutablePointers { header, slots in
            let tags = UnsafeMutableRawPointer(slots + header.pointee.columns)
            let slot = slots[column]
            func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
                let count = Int(slot & 0xFFFF_FFFF)
                guard bytes.count == count else { return false }
                guard let start = bytes.baseAddress, count > 0 else { return true }
                return memcmp(tags + Int(slot >> 32), start, count) == 0
            }
            switch (Tag(rawValue: tags.load(fromByteOffset: column, as: UInt8.self)), value) {
            case (.null, .null): return true
            case (.integer, .integer(let integer)): return Int64(bitPattern: slot) == integer
            case (.real, .real(let real)): return slot == real.bitPattern
            case (.text, .text(var text)): return text.withUTF8 { holds(UnsafeRawBufferPointer($0)) }
            case (.blob, .blob(let data)): return data.withUnsafeBytes { holds($0) }
            default: return false
            }
        }
    }

    /// The integer in a column, without making a value of it.
    func integer(at column: Int) -> Int64? {
        withUnsafeMutablePointers { header, slots in
            let tags = UnsafeMutableRawPointer(slots + header.pointee.columns)
            guard tags.load(fromByteOffset: column, as: UInt8.self) == Tag.integer.rawValue else { return nil }
            return Int64(bitPattern: slots[column])
        }
    }
}
#endif
