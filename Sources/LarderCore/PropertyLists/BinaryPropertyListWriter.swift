#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A writer for binary property lists in the `bplist00` format.
struct BinaryPropertyListWriter {
    private enum Node {
        case leaf(StoredValue)
        case array([Int])
        case dictionary([(key: Int, value: Int)])
    }

    private var nodes: [Node] = []

    static func bytes(of root: StoredValue) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        _ = writer.add(root)
        return writer.bytes()
    }

    /// Adds a value, including nested values, to the object table, and returns the index of the value.
    ///
    /// A container precedes its elements, so the root has index 0.
    private mutating func add(_ value: StoredValue) -> Int {
        let index = nodes.count
        nodes.append(.leaf(value))
        switch value {
        case .array(let elements): nodes[index] = .array(elements.map { add($0) })
        case .dictionary(let entries):
            nodes[index] = .dictionary(entries.map { (add(.string($0.key)), add($0.value)) })
        default: break
        }
        return index
    }

    private func bytes() -> [UInt8] {
        let referenceSize = Self.size(of: nodes.count)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for node in nodes {
            offsets.append(bytes.count)
            switch node {
            case .leaf(let value): Self.append(value, to: &bytes)
            case .array(let references):
                Self.append(marker: 0xA0, count: references.count, to: &bytes)
                for reference in references { Self.append(reference, size: referenceSize, to: &bytes) }
            case .dictionary(let references):
                Self.append(marker: 0xD0, count: references.count, to: &bytes)
                for (key, _) in references { Self.append(key, size: referenceSize, to: &bytes) }
                for (_, value) in references { Self.append(value, size: referenceSize, to: &bytes) }
            }
        }
        let table = bytes.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { Self.append(offset, size: offsetSize, to: &bytes) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [nodes.count, 0, table] { Self.append(number, size: 8, to: &bytes) }
        return bytes
    }

    private static func append(_ value: StoredValue, to bytes: inout [UInt8]) {
        switch value {
        case .bool(let value): bytes.append(value ? 0x09 : 0x08)
        case .int(let number): append(number, to: &bytes)
        case .unsigned(let number):
            bytes += [0x14, 0, 0, 0, 0, 0, 0, 0, 0]
            append(bits: number, to: &bytes)
        case .float(let number):
            bytes.append(0x22)
            append(bits: number.bitPattern, to: &bytes)
        case .double(let number):
            bytes.append(0x23)
            append(bits: number.bitPattern, to: &bytes)
        case .date(let date):
            bytes.append(0x33)
            append(bits: date.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
        case .data(let data):
            append(marker: 0x40, count: data.count, to: &bytes)
            bytes += data
        case .string(let text), .url(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) {
                append(marker: 0x50, count: text.utf8.count, to: &bytes)
                bytes += text.utf8
            } else {
                append(marker: 0x60, count: text.utf16.count, to: &bytes)
                for unit in text.utf16 { append(bits: unit, to: &bytes) }
            }
        case .array: append(marker: 0xA0, count: 0, to: &bytes)
        case .dictionary, .null: append(marker: 0xD0, count: 0, to: &bytes)
        }
    }

    /// Appends an integer object with 1, 2, 4 or 8 bytes of content.
    ///
    /// Integers of up to 4 bytes are unsigned, and integers of 8 bytes are signed.
    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        if let number = UInt8(exactly: number) {
            bytes += [0x10, number]
        } else if let number = UInt16(exactly: number) {
            bytes.append(0x11)
            append(bits: number, to: &bytes)
        } else if let number = UInt32(exactly: number) {
            bytes.append(0x12)
            append(bits: number, to: &bytes)
        } else {
            bytes.append(0x13)
            append(bits: number, to: &bytes)
        }
    }

    private static func append(marker: UInt8, count: Int, to bytes: inout [UInt8]) {
        guard count >= 15 else {
            bytes.append(marker | UInt8(count))
            return
        }
        bytes.append(marker | 0xF)
        append(Int64(count), to: &bytes)
    }

    private static func append(bits: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bits.bigEndian) { bytes += $0 }
    }

    /// Appends the low `size` bytes of `number` in big-endian order.
    private static func append(_ number: Int, size: Int, to bytes: inout [UInt8]) {
        for shift in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (shift * 8))) }
    }

    private static func size(of number: Int) -> Int {
        number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
    }
}
