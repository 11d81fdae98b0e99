extension StoreKey {
    /// Hands the bytes of prefix and name to `body` in one piece, without building a text.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if prefix.isEmpty,
            let result = try name.utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) })
        {
            return result
        }
        return try withCopiedBytes(body)
    }

    /// Keys of usual length are put together on the stack.
    @usableFromInline
    func withCopiedBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
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

    private func copyBytes(to buffer: UnsafeMutableRawBufferPointer, _ prefixLength: Int) -> UnsafeRawBufferPointer {
        prefix.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<prefixLength]))
        name.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[prefixLength...]))
        return UnsafeRawBufferPointer(buffer)
    }

    /// Copies the bytes of prefix and name to `buffer`, which has ``length`` bytes.
    ///
    /// Of a key without a prefix it calls nothing that the compiler does not see: one that lies in an array is copied from there
    /// without counting its references.
    @inlinable @inline(__always)
    package func copyBytes(to buffer: UnsafeMutableRawBufferPointer) {
        let isCopied: Void? =
            prefix.isEmpty
            ? name.utf8.withContiguousStorageIfAvailable { buffer.copyKey(UnsafeRawBufferPointer($0)) } : nil
        if isCopied == nil { copyBothParts(to: buffer) }
    }

    @usableFromInline
    func copyBothParts(to buffer: UnsafeMutableRawBufferPointer) {
        _ = copyBytes(to: buffer, prefix.utf8.count)
    }

    /// What ``validate()`` checks, faster where nothing is wrong.
    @inlinable @inline(__always)
    package func check(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count > Self.maximumLength || bytes.first == 0 { try validate() }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies the bytes of a key, of which there are as many as here.
    ///
    /// Most keys are so short that a call takes longer than the copy.
    @inlinable @inline(__always)
    func copyKey(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8, bytes.count <= 16 else { return copyMemory(from: bytes) }
        let words = bytes.shortKeyWords
        storeBytes(of: words.0, as: UInt64.self)
        storeBytes(of: words.1, toByteOffset: bytes.count - 8, as: UInt64.self)
    }
}

extension String {
    fileprivate func copyUTF8(to buffer: UnsafeMutableRawBufferPointer) {
        let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
            buffer.copyMemory(from: UnsafeRawBufferPointer($0))
        }
        if isCopied == nil { buffer.copyBytes(from: utf8) }
    }
}
