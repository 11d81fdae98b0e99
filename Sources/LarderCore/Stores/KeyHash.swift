/// A fast hash function for key bytes, which is seeded per process so that an attacker can't prepare colliding keys.
///
/// Like wyhash, the function multiplies and folds 16 bytes per step, mixed with two secrets. Hashes are never stored.
@usableFromInline
package struct KeyHash: Sendable {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    /// Creates a hash function with fixed secrets, for tests.
    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash function that this process uses, with random secrets.
    package static let process: KeyHash = {
        var generator = SystemRandomNumberGenerator()
        return KeyHash(generator.next(), generator.next())
    }()

    /// Returns the hash of `key`.
    ///
    /// The highest bit is always set. The second-highest bit is always clear, because ``StoreKey`` stores a flag in that bit.
    @inlinable @inline(__always)
    package func callAsFunction(_ key: UnsafeRawBufferPointer) -> UInt64 {
        key.count <= ShortBytes.capacity ? self(ShortBytes(key)) : hashLong(key)
    }

    /// Returns the hash of an inline key.
    ///
    /// The result equals the hash of the same bytes in a buffer.
    @inlinable @inline(__always)
    package func callAsFunction(_ key: ShortBytes) -> UInt64 {
        let (words, count) = (key.words, key.count)
        let state = fold(words.0 ^ second, words.1 ^ first)
        return finish(count > 16 ? fold(words.2 ^ second, state) : state, count)
    }

    /// Returns the hash of a key longer than ``ShortBytes/capacity``.
    @usableFromInline
    func hashLong(_ key: UnsafeRawBufferPointer) -> UInt64 {
        guard let bytes = key.baseAddress else { return finish(first, 0) }
        var state = first
        var offset = 0
        while offset + 16 < key.count {
            state = fold(bytes.word(at: offset) ^ second, bytes.word(at: offset + 8) ^ state)
            offset += 16
        }
        state = fold(bytes.word(at: key.count - 16) ^ second, bytes.word(at: key.count - 8) ^ state)
        return finish(state, key.count)
    }

    @inlinable @inline(__always)
    func finish(_ state: UInt64, _ count: Int) -> UInt64 {
        fold(second ^ UInt64(truncatingIfNeeded: count), state) & ~(1 << 62) | 1 << 63
    }

    @inlinable @inline(__always)
    func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
