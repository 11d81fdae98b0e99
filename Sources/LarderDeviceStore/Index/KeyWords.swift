import LarderCore

/// A key as entries of the index hold it: up to 24 bytes as numbers, a longer one somewhere else.
struct KeyWords {
    /// The longest key that lies in its entry.
    static let longestInEntry = ShortKey.maximumLength

    let count: Int
    let first: UInt64
    let second: UInt64
    let third: UInt64
    /// The bytes; used only by keys that don't lie in their entry.
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        count = bytes.count
        (first, second, third) = bytes.keyWords
    }

    @inline(__always)
    var isInEntry: Bool { count <= Self.longestInEntry }

    /// How many words a key of `count` bytes takes that does not lie in its entry.
    @inline(__always)
    static func wordCount(_ count: Int) -> Int { (count + 7) / 8 }

    /// A word of the bytes; zeros behind the end.
    @inline(__always)
    func word(_ index: Int) -> UInt64 {
        let offset = index * 8
        if offset + 8 <= count {
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        // Its last bytes, moved down: there are more than 8 before the end.
        let last = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        return last >> UInt64((offset + 8 - count) * 8)
    }

    /// Whether a long key has these words.
    @inline(__always)
    func equals(_ words: IndexWords) -> Bool {
        for index in 0..<Self.wordCount(count) where words[index] != word(index) { return false }
        return true
    }
}
