extension StoreKey {
    /// Calls `body` with the contiguous bytes of the full key, without building a string.
    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        if let shortBytes { return try shortBytes.withBytes(body) }
        return try withLongBytes(body)
    }

    /// The bytes of this key, or `nil` if the key is longer than 24 bytes.
    @inlinable @inline(__always)
    package var shortBytes: ShortBytes? {
        if case .short(let bytes, _) = storage { bytes } else { nil }
    }

    /// Calls `body` with the bytes of a key that is too long to be stored inline.
    ///
    /// A prefix and a name of up to 512 bytes in total are joined on the stack.
    @inlinable
    func withLongBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        guard case .long(let prefix, let name) = storage else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        if prefix.isEmpty,
            let result = try name.utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) })
        {
            return result
        }
        func copy(to buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
            prefix.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<prefix.utf8.count]))
            name.copyUTF8(to: UnsafeMutableRawBufferPointer(rebasing: buffer[prefix.utf8.count...]))
            return UnsafeRawBufferPointer(buffer)
        }
        let length = prefix.utf8.count + name.utf8.count
        if length <= 512 {
            return try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
                try body(copy(to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])))
            }
        }
        return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
            try body(copy(to: buffer))
        }
    }
}

extension String {
    @usableFromInline
    func copyUTF8(to buffer: UnsafeMutableRawBufferPointer) {
        let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
            buffer.copyMemory(from: UnsafeRawBufferPointer($0))
        }
        if isCopied == nil { buffer.copyBytes(from: utf8) }
    }
}
