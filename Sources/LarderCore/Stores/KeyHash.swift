/// A fast hash of key bytes that differs from process to process, so that nobody can prepare keys that collide.
///
/// Multiply and fold, as wyhash and its relatives do: 16 bytes a step, the two secrets mixed in. Never stored.
package struct KeyHash: Sendable {
    @usableFromInline let first: UInt64
    @usableFromInline let second: UInt64

    /// A hash with fixed secrets, for tests.
    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash of this process.
    package static let process: KeyHash = {
        var generator = SystemRandomNumberGenerator()
        return KeyHash(generator.next(), generator.next())
    }()

    /// The hash of `key`, its highest bit always set: smaller numbers can stand for something else (``StoreKey``).
    ///
    /// The last step takes the last 16 bytes, some of them a second time.
    @inlinable @inline(__always)
    package func callAsFunction(_ key: UnsafeRawBufferPointer) -> UInt64 {
        let count = key.count
        guard count > 0, let bytes = key.baseAddress else { return fold(first, second) | 1 << 63 }
        var state = first
        let words: (UInt64, UInt64)
        if count <= 16 {
            words = key.shortKeyWords
        } else {
            var offset = 0
            while offset + 16 < count {
                state = fold(
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ second,
                    bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) ^ state
                )
                offset += 16
            }
            words.0 = bytes.loadUnaligned(fromByteOffset: count - 16, as: UInt64.self)
            words.1 = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        }
        let hash = fold(second ^ UInt64(truncatingIfNeeded: count), fold(words.0 ^ second, words.1 ^ state))
        return hash | 1 << 63
    }

    @inlinable @inline(__always)
    func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a key of 1 to 16 bytes as two numbers: with its length they tell it from every other.
    @inlinable @inline(__always)
    package var shortKeyWords: (UInt64, UInt64) {
        guard let bytes = baseAddress else { return (0, 0) }
        if count >= 8 {
            return (
                bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            )
        }
        if count >= 4 {
            return (
                UInt64(bytes.loadUnaligned(as: UInt32.self)),
                UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            )
        }
        guard count > 0 else { return (0, 0) }
        return (UInt64(self[0]) | UInt64(self[count >> 1]) << 8, UInt64(self[count - 1]))
    }

    /// The bytes of a key of up to 24 bytes as three numbers: up to 16 as ``shortKeyWords`` and zero, and else, as of a longer key, its first 16
    /// bytes and its last 8.
    @inlinable @inline(__always)
    package var keyWords: (UInt64, UInt64, UInt64) {
        if count <= 16 {
            let (first, second) = shortKeyWords
            return (first, second, 0)
        }
        return (
            loadUnaligned(as: UInt64.self),
            loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        )
    }
}
