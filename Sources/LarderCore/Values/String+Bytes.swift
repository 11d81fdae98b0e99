// Swift's String compares by canonical equivalence: "é" composed equals "é" decomposed. A store must tell them apart, because
// files, other languages and other engines do. These three are how Larder compares text.
extension String {
    /// Whether both texts have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        let count = utf8.count
        guard count == other.utf8.count else { return false }
        // Keys of stores are compared at every look-up: eight bytes at a time where the bytes lie in one piece, which is always
        // but for some texts of Objective-C.
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { Self.isSame(.init(mine), .init($0)) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether two runs of bytes of one length are the same.
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
        // The last bytes, some of them once more.
        return offset == left.count || !differs(at: left.count - word)
    }

    /// Whether this text sorts before `other` by its UTF-8 bytes, read as unsigned numbers.
    package func precedesByBytes(_ other: String) -> Bool {
        utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Feeds the UTF-8 bytes and a terminator that no UTF-8 text contains.
    package func hashBytes(into hasher: inout Hasher) {
        feedBytes(into: &hasher)
        hasher.combine(0xFF as UInt8)
    }

    /// Feeds the UTF-8 bytes alone, so that two texts fed one after the other hash as their concatenation.
    package func feedBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
