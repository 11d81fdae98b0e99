extension StoreBatch.Writes {
    /// One write as a batch holds it.
    @usableFromInline
    package struct Record: Sendable {
        @usableFromInline package let value: StoredValue?
        /// As in the ``StoreKey``.
        @usableFromInline let hashOrKind: UInt64
        /// The key; or, with the length ``lengthOfLong``, the piece that one lies in which is no such, its place there, and how many bytes
        /// it has.
        @usableFromInline let key: ShortKey

        @inlinable static var lengthOfLong: UInt8 { .max }

        @inline(__always)
        init(_ value: consuming StoredValue?, _ key: ShortKey, _ hashOrKind: UInt64) {
            self.value = value
            self.key = key
            self.hashOrKind = hashOrKind
        }

        @inline(__always)
        init(
            _ value: consuming StoredValue?,
            keyAt place: (piece: Int, offset: Int),
            length: Int,
            _ hashOrKind: UInt64
        ) {
            let words = (UInt64(place.piece), UInt64(place.offset), UInt64(length))
            self.init(value, ShortKey(words, length: Self.lengthOfLong), hashOrKind)
        }

        @inlinable @inline(__always)
        var isLong: Bool { key.length == Self.lengthOfLong }

        /// How many bytes the key has.
        @inlinable @inline(__always)
        package var keyLength: Int { isLong ? Int(truncatingIfNeeded: key.words.2) : Int(key.length) }

        /// The hash of the key by ``KeyHash/process``, or zero when nobody has worked it out.
        @inlinable @inline(__always)
        package var rememberedHash: UInt64 { hashOrKind > StoreKey.internalKind ? hashOrKind : 0 }
    }

    /// The key of a write, made anew.
    func key(of record: Record) -> StoreKey {
        let text =
            if record.isLong {
                withLongKey(of: record) { String(decoding: $0, as: UTF8.self) }
            } else {
                withUnsafeTemporaryAllocation(byteCount: ShortKey.maximumLength, alignment: 8) { buffer in
                    record.key.copyBytes(to: buffer)
                    return String(decoding: buffer.prefix(record.keyLength), as: UTF8.self)
                }
            }
        guard record.hashOrKind == StoreKey.internalKind else {
            return StoreKey(text, rememberedHash: record.rememberedHash)
        }
        return StoreKey(reserved: String(text.utf8.dropFirst(StoreKey.reservedPrefix.utf8.count)) ?? "")
    }

    @inline(__always)
    private func withLongKey<Result>(of record: Record, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let words = record.key.words
        let place = (Int(truncatingIfNeeded: words.0), Int(truncatingIfNeeded: words.1))
        return longKeys.withBytes(of: place, count: record.keyLength, body)
    }

    /// Copies the bytes of the key of a write to `buffer`, which has as many.
    @inlinable @inline(__always)
    package func copyKey(of record: UnsafePointer<Record>, to buffer: UnsafeMutableRawBufferPointer) {
        if record.pointee.isLong { return copyLongKey(of: record, to: buffer) }
        record.pointee.key.copyBytes(to: buffer)
    }

    @usableFromInline @inline(never)
    func copyLongKey(of record: UnsafePointer<Record>, to buffer: UnsafeMutableRawBufferPointer) {
        withLongKey(of: record.pointee) { buffer.copyMemory(from: $0) }
    }

    /// Checks key and value of a write, as ``StoreBatch/validate()`` does.
    package func validate(_ record: UnsafePointer<Record>) throws {
        let key = record.pointee.key
        // The first byte of a key that is not too long decides almost always.
        let isPlain =
            record.pointee.isLong
            ? record.pointee.keyLength <= StoreKey.maximumLength
                && withLongKey(of: record.pointee) { $0.first != 0 }
            : key.words.0.littleEndian & 0xFF != 0
        if !isPlain { try self.key(of: record.pointee).validate() }
        try record.pointee.value?.validate(under: self.key(of: record.pointee))
    }
}
