extension StoreBatch.Writes {
    /// One write as a batch holds it.
    @usableFromInline
    package struct Record: Sendable {
        @usableFromInline package let value: StoredValue?
        /// The hash of the key by ``KeyHash/process``, or zero when nobody has worked it out.
        @usableFromInline package let rememberedHash: UInt64
        /// The key; or, with the length ``lengthOfKept``, where one is kept that is no such, and how many bytes it has.
        @usableFromInline let key: ShortKey

        @inlinable static var lengthOfKept: UInt8 { .max }

        /// A record that holds the key.
        @inline(__always)
        init(_ value: consuming StoredValue?, _ key: ShortKey, _ rememberedHash: UInt64) {
            self.value = value
            self.key = key
            self.rememberedHash = rememberedHash
        }

        /// A record of a key that lies at `place` among those that are kept.
        init(_ value: consuming StoredValue?, for key: StoreKey, keptAt place: Int) {
            self.value = value
            self.key = ShortKey((UInt64(place), UInt64(key.length), 0), length: Self.lengthOfKept)
            rememberedHash = key.rememberedHash
        }

        /// Where its key lies, if it does not hold it.
        @inlinable @inline(__always)
        var keptPlace: Int? {
            key.length == Self.lengthOfKept ? Int(truncatingIfNeeded: key.words.0) : nil
        }

        /// How many bytes the key has.
        @inlinable @inline(__always)
        package var keyLength: Int {
            key.length == Self.lengthOfKept ? Int(truncatingIfNeeded: key.words.1) : Int(key.length)
        }
    }

    /// The key of a write; of one whose bytes were copied a text is made.
    func key(of record: Record) -> StoreKey {
        if let place = record.keptPlace { return keptKeys[place] }
        let text = withUnsafeTemporaryAllocation(byteCount: ShortKey.maximumLength, alignment: 8) { buffer in
            record.key.copyBytes(to: buffer)
            return String(decoding: buffer.prefix(record.keyLength), as: UTF8.self)
        }
        return StoreKey(text, rememberedHash: record.rememberedHash)
    }

    /// Copies the bytes of the key of a write to `buffer`, which has as many.
    @inlinable @inline(__always)
    package func copyKey(of record: UnsafePointer<Record>, to buffer: UnsafeMutableRawBufferPointer) {
        if let place = record.pointee.keptPlace { return keptKeys[place].copyBytes(to: buffer) }
        record.pointee.key.copyBytes(to: buffer)
    }

    /// Checks key and value of a write, as ``StoreBatch/validate()`` does.
    package func validate(_ record: UnsafePointer<Record>) throws {
        let key = record.pointee.key
        // The first byte of a key that is not too long decides almost always.
        if key.length > ShortKey.maximumLength || key.words.0.littleEndian & 0xFF == 0 {
            try self.key(of: record.pointee).validate()
        }
        try record.pointee.value?.validate(under: self.key(of: record.pointee))
    }
}
