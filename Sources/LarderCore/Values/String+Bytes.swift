// Swift's String compares by canonical equivalence, so a composed "é" equals a decomposed "é". Files, other languages and other engines
// distinguish such strings, so Larder compares strings by their bytes with the following functions.
extension String {
    /// Returns whether this string and `other` have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        // Every lookup compares keys, so this compares eight bytes at a time if the bytes are contiguous, as they are except in some
        // bridged strings.
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { Self.isSame(.init(mine), .init($0)) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Returns whether two buffers of the same length have the same bytes.
    private static func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let word = MemoryLayout<UInt64>.size
        func differs(at offset: Int) -> Bool {
            left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        guard left.count >= word else { return left.elementsEqual(right) }
        var offset = 0
        while offset + word <= left.count {
            if differs(at: offset) { return false }
            offset += word
        }
        // The last word may overlap the one before.
        return offset == left.count || !differs(at: left.count - word)
    }

    /// Returns whether this string sorts before `other` by its UTF-8 bytes, compared as unsigned numbers.
    @usableFromInline
    package func precedesByBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Hashes the UTF-8 bytes of this string, followed by a terminator byte that never occurs in UTF-8.
    package func hashBytes(into hasher: inout Hasher) {
        feedBytes(into: &hasher)
        hasher.combine(0xFF as UInt8)
    }

    /// Hashes the UTF-8 bytes of this string without a terminator, so that consecutive strings hash like their concatenation.
    package func feedBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
