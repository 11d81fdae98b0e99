import LarderCore

/// A key in the representation that index entries use.
///
/// Up to 24 bytes are stored inline as words. A longer key is stored by reference.
struct KeyWords {
    /// The maximum length in bytes of an inline key.
    static let longestInEntry = ShortBytes.capacity

    let count: Int
    let first: UInt64
    let second: UInt64
    let third: UInt64
    /// The bytes of the key, or an empty buffer if the key was created from inline bytes.
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        count = bytes.count
        (first, second, third) = bytes.shortWords
    }

    @inline(__always)
    init(_ short: ShortBytes) {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        count = short.count
        (first, second, third) = short.words
    }

    @inline(__always)
    var isInEntry: Bool { count <= Self.longestInEntry }

    /// The bytes of an inline key in the representation that `StoreKey` uses.
    @inline(__always)
    var short: ShortBytes { ShortBytes((first, second, third), count: count) }

    /// The first byte of the key, or `nil` if the key is empty.
    @inline(__always)
    var firstByte: UInt8? {
        isInEntry ? count > 0 ? UInt8(truncatingIfNeeded: first) : nil : bytes.first
    }

    /// Copies the bytes of the key to `start`.
    ///
    /// The buffer must have space for the key, and for at least ``longestInEntry`` bytes if the key is shorter.
    @inline(__always)
    func copy(to start: UnsafeMutableRawPointer) {
        if isInEntry {
            start.storeBytes(of: first.littleEndian, as: UInt64.self)
            start.storeBytes(of: second.littleEndian, toByteOffset: 8, as: UInt64.self)
            start.storeBytes(of: third.littleEndian, toByteOffset: 16, as: UInt64.self)
        } else if let source = bytes.baseAddress {
            start.copyMemory(from: source, byteCount: count)
        }
    }

    /// Returns the number of 8-byte words that a key of `count` bytes occupies if it is not stored inline.
    @inline(__always)
    static func wordCount(_ count: Int) -> Int { (count + 7) / 8 }

    /// Returns the key's 8-byte word at `index`, padded with zero bytes if the key ends within the word.
    @inline(__always)
    func word(_ index: Int) -> UInt64 {
        let offset = index * 8
        if offset + 8 <= count {
            return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        // Loads the last 8 bytes and shifts them. This is valid because the key has more than 8 bytes.
        let last = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        return last >> UInt64((offset + 8 - count) * 8)
    }

    /// Returns whether the bytes of this key equal `words`.
    ///
    /// The key must be too long to be stored inline.
    @inline(__always)
    func equals(_ words: IndexWords) -> Bool {
        for index in 0..<Self.wordCount(count) where words[index] != word(index) { return false }
        return true
    }
}

extension StoreKey {
    /// Calls `body` with the key in the representation that the index uses.
    @inline(__always)
    func withWords<Result>(_ body: (KeyWords) throws -> Result) rethrows -> Result {
        if let shortBytes { return try body(KeyWords(shortBytes)) }
        return try withBytes { try body(KeyWords($0)) }
    }
}

extension KeyHash {
    /// Returns the hash of a key's bytes.
    @inline(__always)
    func of(_ key: KeyWords) -> UInt64 { key.isInEntry ? self(key.short) : self(key.bytes) }

    /// Computes the hash of `key` without using the cached hash.
    func of(_ key: StoreKey) -> UInt64 { key.withWords { of($0) } }
}
