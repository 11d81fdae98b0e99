import LarderFiles

// Little-endian integers and variable-length integers (varints) in raw bytes. Callers check the bounds.
extension UnsafeRawBufferPointer {
    @inline(__always)
    func number<Number: FixedWidthInteger>(_: Number.Type, at offset: Int) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Reads the varint at `offset`, which must have the shortest encoding and at most five bytes.
    ///
    /// - Returns: The decoded integer and the offset after the varint, or `nil` if there is no valid varint before `end`.
    @inline(__always)
    func variableNumber(at offset: Int, before end: Int) -> (value: Int, end: Int)? {
        guard offset < end else { return nil }
        let first = self[offset]
        if first < 0x80 { return (Int(first), offset + 1) }
        return longVariableNumber(at: offset, before: end)
    }

    private func longVariableNumber(at offset: Int, before end: Int) -> (value: Int, end: Int)? {
        var value = 0
        var next = offset
        for shift in stride(from: 0, to: 7 * LogFormat.maximumVariableNumberSize, by: 7) {
            guard next < end else { return nil }
            let byte = self[next]
            next += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : (value, next) }
        }
        return nil
    }

    /// Returns the offset of the first nonzero byte in `range`, or `nil` if all bytes are zero.
    func firstNonZero(in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, loadUnaligned(fromByteOffset: offset, as: UInt64.self) == 0 {
            offset += 8
        }
        while offset < range.upperBound {
            if self[offset] != 0 { return offset }
            offset += 1
        }
        return nil
    }

    /// Returns the offset of the last nonzero byte in `range`, or `nil` if all bytes are zero.
    func lastNonZero(in range: Range<Int>) -> Int? {
        var offset = range.upperBound
        // The typical input is a long run of zeros.
        while offset - 4096 >= range.lowerBound, slice(offset - 4096..<offset).isZero { offset -= 4096 }
        while offset - 8 >= range.lowerBound, loadUnaligned(fromByteOffset: offset - 8, as: UInt64.self) == 0 {
            offset -= 8
        }
        while offset > range.lowerBound {
            offset -= 1
            if self[offset] != 0 { return offset }
        }
        return nil
    }

    /// Whether the bytes are valid UTF-8.
    @inline(__always)
    var isText: Bool {
        var offset = 0
        while offset + 8 <= count, loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            offset += 8
        }
        while offset < count, self[offset] < 0x80 { offset += 1 }
        return offset == count || isText(from: offset)
    }

    @inline(never)
    private func isText(from offset: Int) -> Bool { String(validating: slice(offset..<count), as: UTF8.self) != nil }

    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (0..<count).allSatisfy { self[$0] == other[$0] }
    }

    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self[range]) }
}

extension [UInt8] {
    mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    mutating func replace<Number: FixedWidthInteger>(at offset: Int, littleEndian number: Number) {
        withUnsafeMutableBytes { $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Stores `number` as a varint at `offset`, and returns the offset after the varint.
    ///
    /// Five bytes must be available at `offset`.
    @inline(__always)
    func store(variableNumber number: Int, at offset: Int) -> Int {
        var rest = number
        var next = offset
        while rest >= 0x80 {
            self[next] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            next += 1
        }
        self[next] = UInt8(truncatingIfNeeded: rest)
        return next + 1
    }
}

/// Returns the size in bytes of `number` encoded as a varint.
func variableNumberSize(_ number: Int) -> Int { number < 0x80 ? 1 : (70 - max(1, number).leadingZeroBitCount) / 7 }

extension Int {
    /// Returns this number rounded up to a multiple of `unit`.
    func rounded(up unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
