/// The range of keys that a page can still take: those with a prefix, beyond a cursor, and not beyond the keys selected so far.
///
/// Most keys are decided by their first eight bytes, so that a pass over a million keys takes a few milliseconds.
///
/// The tests of a key are inlinable, because a pass makes them for each key.
@usableFromInline
package struct KeyWindow: Sendable {
    private let isAscending: Bool
    @usableFromInline let prefix: [UInt8]
    @usableFromInline let prefixHead: UInt64
    @usableFromInline let prefixMask: UInt64
    /// The key that all keys in the window follow, or `nil` if there is no lower bound.
    @usableFromInline var low: [UInt8]?
    @usableFromInline var lowHead = UInt64.min
    /// The key that all keys in the window precede, or `nil` if there is no upper bound.
    @usableFromInline var high: [UInt8]?
    @usableFromInline var highHead = UInt64.max

    /// Creates a window of the keys that begin with `prefix` and come after the key `cursor`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the keys, compared bytewise.
    ///   - cursor: The key that precedes the window in the given order, or `nil` for no bound.
    ///   - isAscending: Whether the smallest key comes first.
    package init(prefix: String, after cursor: String?, isAscending: Bool) {
        self.isAscending = isAscending
        self.prefix = Array(prefix.utf8)
        prefixHead = self.prefix.withUnsafeBytes(\.keyHead)
        let length = min(8, self.prefix.count)
        prefixMask = length == 0 ? 0 : .max << UInt64(64 - length * 8)
        guard let cursor else { return }
        if isAscending { setLow(cursor) } else { setHigh(cursor) }
    }

    /// Excludes the keys that come at or after `key` in the order of the window.
    @usableFromInline
    package mutating func end(at key: String) { if isAscending { setHigh(key) } else { setLow(key) } }

    private mutating func setLow(_ key: String) {
        let bytes = Array(key.utf8)
        lowHead = bytes.withUnsafeBytes(\.keyHead)
        low = bytes
    }

    private mutating func setHigh(_ key: String) {
        let bytes = Array(key.utf8)
        highHead = bytes.withUnsafeBytes(\.keyHead)
        high = bytes
    }

    /// Returns whether `key` begins with the prefix of the window.
    @inlinable
    package func hasPrefix(_ key: UnsafeRawBufferPointer) -> Bool {
        guard prefixMask != 0 else { return true }
        guard key.count >= prefix.count, key.keyHead & prefixMask == prefixHead else { return false }
        return prefix.count <= 8 || prefix.withUnsafeBytes { key.starts(with: $0) }
    }

    /// Returns whether `key`, which must begin with the prefix, lies between the bounds of the window.
    @inlinable
    package func admits(_ key: UnsafeRawBufferPointer) -> Bool {
        let head = key.keyHead
        if head > highHead || head < lowHead { return false }
        if head == highHead, let high {
            guard high.withUnsafeBytes({ key.lexicographicallyPrecedes($0) }) else { return false }
        }
        if head == lowHead, let low {
            guard low.withUnsafeBytes({ $0.lexicographicallyPrecedes(key) }) else { return false }
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The first eight bytes as a number, padded with zeros, whose order never contradicts the bytewise order.
    @inlinable var keyHead: UInt64 {
        if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
        var head: UInt64 = 0
        for byte in self { head = head << 8 | UInt64(byte) }
        return count == 0 ? 0 : head << UInt64((8 - count) * 8)
    }
}
