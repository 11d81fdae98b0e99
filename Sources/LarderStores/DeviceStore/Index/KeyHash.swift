import LarderCore

/// A fast hash of key bytes that differs from process to process, so that nobody can prepare keys that collide.
struct KeyHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// A hash with fixed secrets, for tests.
    init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The hash of this process.
    static let process: KeyHash = {
        var generator = SystemRandomNumberGenerator()
        return KeyHash(generator.next(), generator.next())
    }()

    /// Multiply and fold, 16 bytes a step; the last step takes the last 16 bytes, some of them a second time.
    @inline(__always)
    func callAsFunction(_ key: UnsafeRawBufferPointer) -> UInt64 {
        let count = key.count
        guard count > 0, let bytes = key.baseAddress else { return fold(first, second) }
        var state = first
        let low: UInt64
        let high: UInt64
        if count <= 16 {
            if count >= 8 {
                low = bytes.loadUnaligned(as: UInt64.self)
                high = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            } else if count >= 4 {
                low = UInt64(bytes.loadUnaligned(as: UInt32.self))
                high = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            } else {
                low = UInt64(key[0]) | UInt64(key[count >> 1]) << 8
                high = UInt64(key[count - 1])
            }
        } else {
            var offset = 0
            while offset + 16 < count {
                state = fold(
                    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ second,
                    bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self) ^ state
                )
                offset += 16
            }
            low = bytes.loadUnaligned(fromByteOffset: count - 16, as: UInt64.self)
            high = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        }
        return fold(second ^ UInt64(truncatingIfNeeded: count), fold(low ^ second, high ^ state))
    }

    @inline(__always)
    private func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

extension StoreKey {
    /// Hands the bytes of prefix and name to `body` in one piece, without building a text.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if prefix.isEmpty,
            let result = try name.utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) })
        {
            return result
        }
        return try withCopiedBytes(body)
    }

    /// Keys of usual length are put together on the stack.
    private func withCopiedBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let (prefixLength, nameLength) = (prefix.utf8.count, name.utf8.count)
        let length = prefixLength + nameLength
        if length <= 512 {
            return try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
                try body(copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), prefixLength))
            }
        }
        return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            try body(copyBytes(to: buffer, prefixLength))
        }
    }

    @inline(__always)
    private func copyBytes(to buffer: UnsafeMutableRawBufferPointer, _ prefixLength: Int) -> UnsafeRawBufferPointer {
        prefix.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<prefixLength]))
        name.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[prefixLength...]))
        return UnsafeRawBufferPointer(buffer)
    }

    /// What ``validate()`` checks, faster where nothing is wrong.
    @inline(__always)
    func check(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count > Self.maximumLength || bytes.first == 0 { try validate() }
    }
}

extension String {
    @inline(__always)
    fileprivate func copyUTF8(to buffer: UnsafeMutableRawBufferPointer) {
        let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
            buffer.copyMemory(from: UnsafeRawBufferPointer($0))
        }
        if isCopied == nil { buffer.copyBytes(from: utf8) }
    }
}
