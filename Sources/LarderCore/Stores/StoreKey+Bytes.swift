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

    /// What ``validate()`` checks, faster where nothing is wrong.
    @inlinable @inline(__always)
    package func check(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.count > Self.maximumLength || bytes.first == 0 { try validate() }
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
