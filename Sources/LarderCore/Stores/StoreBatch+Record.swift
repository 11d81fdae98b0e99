extension StoreBatch.Writes {
    /// One write as a batch holds it.
    @usableFromInline
    package struct Record: Sendable {
        @usableFromInline package let value: StoredValue?
        /// As in the ``StoreKey``.
        @usableFromInline let hashOrKind: UInt64
        /// The key; of a long one, with the length ``lengthOfLong``: its piece, its offset there, and its length.
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
        package var rememberedHash: UInt64 { StoreKey.rememberedHash(in: hashOrKind) }
    }

    /// The key of a write, made anew.
    func key(of record: Record) -> StoreKey {
        withKeyBytes(of: record) { bytes in
            guard record.hashOrKind == StoreKey.internalKind else {
                return StoreKey(String(decoding: bytes, as: UTF8.self), rememberedHash: record.rememberedHash)
            }
            return StoreKey(reserved: String(decoding: bytes[StoreKey.reservedPrefix.utf8.count...], as: UTF8.self))
        }
    }

    /// Whether two writes have the same key.
    package func haveSameKey(_ first: Int, _ second: Int) -> Bool {
        withKeyBytes(of: records[first]) { first in
            withKeyBytes(of: records[second]) { second in first.elementsEqual(second) }
        }
    }

    private func withKeyBytes<Result>(of record: Record, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if record.isLong { return withLongKey(of: record, body) }
        return withUnsafeTemporaryAllocation(byteCount: ShortKey.maximumLength, alignment: 8) { buffer in
            record.key.copyBytes(to: buffer)
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<record.keyLength]))
        }
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
        if !hasPlainKey(record.pointee) { try key(of: record.pointee).validate() }
        try record.pointee.value?.validate(under: key(of: record.pointee))
    }

    /// Whether the key of a write needs no closer look to be seen to be good: no text need be made of it then.
    private func hasPlainKey(_ record: Record) -> Bool {
        guard record.keyLength <= StoreKey.maximumLength else { return false }
        if record.hashOrKind == StoreKey.internalKind { return true }
        if record.isLong { return withLongKey(of: record) { $0.first != 0 } }
        return record.keyLength == 0 || record.key.words.0.littleEndian & 0xFF != 0
    }
}
