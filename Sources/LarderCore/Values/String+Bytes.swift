// Swift's String compares by canonical equivalence: "é" composed equals "é" decomposed. A store must tell them apart, because
// files, other languages and other engines do. These three are how Larder compares text.
extension String {
    /// Whether both texts have the same UTF-8 bytes.
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
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
