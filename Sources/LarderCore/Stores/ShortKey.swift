/// The bytes of a key of usual length as numbers: to copy it counts no references, and nothing of it lies elsewhere.
@usableFromInline
package struct ShortKey: BitwiseCopyable, Sendable {
    /// The longest key that there is one for.
    @inlinable package static var maximumLength: Int { 24 }

    /// As ``Swift/UnsafeRawBufferPointer/keyWords`` says.
    @usableFromInline package let words: (UInt64, UInt64, UInt64)
    /// How many bytes they stand for.
    @usableFromInline package let length: UInt8

    /// - Parameter bytes: At most ``maximumLength``.
    @inlinable @inline(__always)
    package init(_ bytes: UnsafeRawBufferPointer) {
        assert(bytes.count <= Self.maximumLength)
        self.init(bytes.keyWords, length: UInt8(truncatingIfNeeded: bytes.count))
    }

    @inlinable @inline(__always)
    package init(_ words: (UInt64, UInt64, UInt64), length: UInt8) {
        self.words = words
        self.length = length
    }

    /// Writes the bytes to where `buffer` begins, which has room for them.
    @inlinable @inline(__always)
    package func copyBytes(to buffer: UnsafeMutableRawBufferPointer) {
        let count = Int(length)
        assert(count <= Self.maximumLength)
        if count > 16 {
            buffer.storeBytes(of: words.0, as: UInt64.self)
            buffer.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
            buffer.storeBytes(of: words.2, toByteOffset: count - 8, as: UInt64.self)
        } else if count >= 8 {
            buffer.storeBytes(of: words.0, as: UInt64.self)
            buffer.storeBytes(of: words.1, toByteOffset: count - 8, as: UInt64.self)
        } else if count >= 4 {
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: words.0), as: UInt32.self)
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: words.1), toByteOffset: count - 4, as: UInt32.self)
        } else if count > 0 {
            buffer[0] = UInt8(truncatingIfNeeded: words.0)
            buffer[count >> 1] = UInt8(truncatingIfNeeded: words.0 >> 8)
            buffer[count - 1] = UInt8(truncatingIfNeeded: words.1)
        }
    }
}

extension StoreKey {
    /// The bytes of a key of usual length without a prefix, where they can be had without counting references.
    @inlinable @inline(__always)
    var shortName: ShortKey? {
        guard prefix.isEmpty, name.utf8.count <= ShortKey.maximumLength else { return nil }
        return name.utf8.withContiguousStorageIfAvailable { ShortKey(UnsafeRawBufferPointer($0)) }
    }
}
