/// A sequence of up to 24 bytes, stored inline as three words and padded with zeros.
///
/// Copies need no reference counting.
@usableFromInline
package struct ShortBytes: BitwiseCopyable, Sendable {
    /// The maximum number of bytes in a sequence: 24.
    @inlinable package static var capacity: Int { 24 }

    /// The bytes as three words, with the first byte in the lowest bits of the first word.
    @usableFromInline package let words: (UInt64, UInt64, UInt64)
    @usableFromInline let length: UInt8

    /// The number of bytes, without the padding.
    @inlinable package var count: Int { Int(length) }

    /// Creates a sequence from at most ``capacity`` bytes.
    @inlinable @inline(__always)
    package init(_ bytes: UnsafeRawBufferPointer) { self.init(bytes.shortWords, count: bytes.count) }

    @inlinable @inline(__always)
    package init(_ words: (UInt64, UInt64, UInt64), count: Int) {
        assert(count <= Self.capacity)
        self.words = words
        length = UInt8(truncatingIfNeeded: count)
    }

    /// Creates a sequence of the UTF-8 bytes of a string, or returns `nil` if the string has more than ``capacity`` bytes.
    ///
    /// Also returns `nil` if the bytes are not contiguous, as in some bridged strings.
    @inlinable @inline(__always)
    init?(_ text: String) {
        let short: ShortBytes?? = text.utf8.withContiguousStorageIfAvailable {
            $0.count <= Self.capacity ? ShortBytes(UnsafeRawBufferPointer($0)) : nil
        }
        guard case .some(.some(let short)) = short else { return nil }
        self = short
    }

    /// Calls `body` with the bytes, without the padding.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let words = (words.0.littleEndian, words.1.littleEndian, words.2.littleEndian)
        return try withUnsafeBytes(of: words) { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes packed into the words of a ``ShortBytes``, or zeros if there are more than 24 bytes.
    @inlinable @inline(__always)
    package var shortWords: (UInt64, UInt64, UInt64) {
        guard let bytes = baseAddress else { return (0, 0, 0) }
        if count >= 16 {
            guard count <= ShortBytes.capacity else { return (0, 0, 0) }
            return (bytes.word(at: 0), bytes.word(at: 8), bytes.word(at: count - 8) >> UInt64((24 - count) * 8))
        }
        if count >= 8 { return (bytes.word(at: 0), bytes.word(at: count - 8) >> UInt64((16 - count) * 8), 0) }
        if count >= 4 {
            let first = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let last = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return (UInt64(first) | UInt64(last) << UInt64((count - 4) * 8), 0, 0)
        }
        guard count > 0 else { return (0, 0, 0) }
        let middle = UInt64(self[count >> 1]) << UInt64((count >> 1) * 8)
        return (UInt64(self[0]) | middle | UInt64(self[count - 1]) << UInt64((count - 1) * 8), 0, 0)
    }
}

extension UnsafeRawPointer {
    /// Loads the eight bytes at `offset` as a little-endian number.
    @inlinable @inline(__always)
    func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
