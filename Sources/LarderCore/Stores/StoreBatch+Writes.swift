extension StoreBatch {
    /// What a batch writes, in the order it was added.
    ///
    /// The bytes of the keys are copied into it: whoever carries out the batch reads memory from one end to the other, where texts lie
    /// anywhere, and no references need to be counted.
    public struct Writes: Sendable, RandomAccessCollection {
        @usableFromInline var records = Pieces<Record>()
        var longKeys = LongKeys()

        /// Always zero.
        @inlinable public var startIndex: Int { 0 }
        /// How many writes there are.
        @inlinable public var endIndex: Int { records.count }
        /// How many writes there are.
        @inlinable public var count: Int { records.count }

        /// One write.
        ///
        /// The text of its key is made anew.
        ///
        /// - Parameter position: Its place in the order they were added.
        public subscript(position: Int) -> Write {
            let record = records[position]
            return Write(key: key(of: record), value: record.value)
        }

        /// The value of one write: no text is made of its key.
        package func value(at position: Int) -> StoredValue? { records[position].value }

        /// Adds an integer; a call, so that what is compiled into other modules stays short.
        @usableFromInline @inline(never)
        mutating func append(_ integer: Int64, for key: ShortKey, _ hashOrKind: UInt64) {
            records.append(Record(.int(integer), key, hashOrKind))
        }

        /// Adds any write.
        mutating func append(_ value: consuming StoredValue?, for key: StoreKey) {
            let length = key.length
            if length <= ShortKey.maximumLength {
                records.append(Record(value, key.withBytes { ShortKey($0) }, key.hashOrKind))
            } else {
                let place = longKeys.append(key)
                records.append(Record(value, keyAt: place, length: length, key.hashOrKind))
            }
        }

        mutating func reserveCapacity(_ count: Int) { records.reserveCapacity(count) }

        /// Hands the record of every write to `body`, with its place in the order.
        ///
        /// - Parameter body: Returns whether it wants to see more.
        @inlinable @inline(__always)
        package func forEachRecord(_ body: (_ place: Int, UnsafePointer<Record>) throws -> Bool) rethrows {
            try records.forEachInPlace(body)
        }
    }
}
