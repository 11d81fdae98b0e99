import LarderCore
import LarderFiles

// Functions that apply frames of the log, which take most of the time to open a store.
extension DeviceIndex {
    private struct ReadEntry {
        let isRemoval: Bool
        let offset: Int
        let key: Int
        let value: Int
        let end: Int
        let expiry: Int64?
        let hash: UInt64
        /// The entry's value if it is an integer without expiry, or `nil` otherwise.
        let number: Int64?
        /// The entry number in the first slot to probe, loaded early to overlap cache misses.
        var first = 0
    }

    /// The maximum number of entries in a batch that is decoded and then applied to the index.
    private static var entriesAtOnce: Int { 16 }
    /// The upper limit of the estimated number of keys.
    private static var largestEstimate: Int { 1 << 21 }

    /// Reserves capacity for the keys of a log.
    ///
    /// The number of keys is estimated from `found`, the log's first frame, and `logSize`, the log's approximate size in bytes.
    mutating func reserve(for found: FoundFrame, logSize: Int) {
        let entries = found.entryCount
        guard count == 0, entries > 0 else { return }
        // The estimate assumes entries of the same length, of which a fifth are outdated. The minimum size of an entry limits the estimate.
        let length = max(1, found.frame.end - found.frame.offset)
        let expected = min(logSize / max(1, length / entries) / 5 * 4, logSize / 24, Self.largestEstimate)
        reserve(max(entries, expected))
    }

    /// Applies all entries of a valid frame to the index.
    mutating func apply(_ found: FoundFrame, hash: KeyHash) throws {
        let (bytes, end) = (found.bytes, found.frame.entries.upperBound)
        var position = found.frame.entries.lowerBound
        try withUnsafeTemporaryAllocation(of: ReadEntry.self, capacity: Self.entriesAtOnce) { read in
            var isMore = true
            while isMore {
                var count = 0
                var areNumbers = true
                while count < Self.entriesAtOnce {
                    guard let entry = Self.read(bytes, at: position, before: end, hash) else {
                        isMore = false
                        break
                    }
                    position = entry.end
                    if entry.number == nil || entry.value &- entry.key > KeyWords.longestInEntry { areNumbers = false }
                    read.initializeElement(at: count, to: entry)
                    count += 1
                }
                // In a large table, each access is a cache miss. This loop overlaps the misses.
                for index in 0..<count { read[index].first = table.numbers.firstNumber(read[index].hash) }
                if areNumbers, hasRoom(for: count) {
                    fill(UnsafeMutableBufferPointer(rebasing: read[..<count]), bytes, found.origin)
                } else {
                    for index in 0..<count { try apply(read[index], bytes, found.origin) }
                }
            }
        }
    }

    @inline(__always)
    private static func read(
        _ bytes: UnsafeRawBufferPointer,
        at position: Int,
        before end: Int,
        _ hash: KeyHash
    ) -> ReadEntry? {
        if let entry = LogEntry.readShort(bytes, at: position, before: end) {
            return ReadEntry(
                isRemoval: false,
                offset: position,
                key: entry.key,
                value: entry.value,
                end: entry.end,
                expiry: nil,
                hash: hash(bytes.slice(entry.key..<entry.value)),
                number: StoredValue.integer(encodedAs: bytes.slice(entry.value..<entry.end))
            )
        }
        guard let entry = LogEntry.read(bytes, at: position, before: end) else { return nil }
        return ReadEntry(
            isRemoval: entry.kind == .removed,
            offset: entry.bytes.lowerBound,
            key: entry.key.lowerBound,
            value: entry.key.upperBound,
            end: entry.bytes.upperBound,
            expiry: entry.expiry,
            hash: hash(bytes.slice(entry.key)),
            number: entry.kind == .set ? StoredValue.integer(encodedAs: bytes.slice(entry.value)) : nil
        )
    }

    /// Returns whether ``fill(_:_:_:)`` can add `more` keys.
    ///
    /// The table must have room for the keys, and there must be neither freed entries nor lock-free readers.
    @inline(__always)
    private func hasRoom(for more: Int) -> Bool {
        view == nil && free.isEmpty && count + more <= (table.mask + 1) * 3 / 4
    }

    /// Applies a batch of integers with inline keys, for which ``hasRoom(for:)`` must return `true`.
    ///
    /// This method is a faster version of ``set(_:for:hashed:at:)``.
    @inline(__always)
    private mutating func fill(
        _ read: UnsafeMutableBufferPointer<ReadEntry>,
        _ bytes: UnsafeRawBufferPointer,
        _ origin: Int
    ) {
        let table = table
        var (number, bytesAdded) = (entryEnd, 0)
        for index in 0..<read.count {
            let entry = read[index]
            guard let value = entry.number else { continue }
            let key = KeyWords(bytes.slice(entry.key..<entry.value))
            let held = IndexValue(kind: IndexValue.Kind.int, UInt64(bitPattern: value))
            let length = entry.end &- entry.value
            let slot = table.search(for: key, hashed: entry.hash)
            if let old = slot.number {
                replace(old, with: held, length: length, at: origin &+ entry.offset)
                continue
            }
            if number & (IndexEntry.inChunk - 1) == 0 { addChunk(for: number) }
            let place = table.entry(number)
            place.setKey(key, longKey: nil)
            place.setValue(held, length: length, keyLength: key.count)
            place.setPosition(side, origin &+ entry.offset)
            table.numbers.set(number, hashed: entry.hash, at: slot.place)
            number &+= 1
            bytesAdded &+= entry.end &- entry.offset
        }
        count += number - entryEnd
        entryEnd = number
        liveBytes += bytesAdded
    }

    @inline(__always)
    private mutating func apply(_ read: ReadEntry, _ bytes: UnsafeRawBufferPointer, _ origin: Int) throws {
        let key = KeyWords(bytes.slice(read.key..<read.value))
        if read.isRemoval { return remove(key, hashed: read.hash) }
        let encoded = bytes.slice(read.value..<read.end)
        let position = origin + read.offset
        if let number = read.number {
            // Fast path for integers, the most common values, which hold nothing that must be released.
            let entry = Entry(value: .int(number), length: encoded.count, checksum: 0, expiry: nil)
            set(entry, for: key, hashed: read.hash, at: position)
        } else {
            try applyAny(encoded, read.expiry, for: key, hashed: read.hash, at: position)
        }
    }

    @inline(never)
    private mutating func applyAny(
        _ encoded: UnsafeRawBufferPointer,
        _ expiry: Int64?,
        for key: KeyWords,
        hashed hash: UInt64,
        at position: Int
    ) throws {
        set(try Entry(encoded, expiry), for: key, hashed: hash, at: position)
    }
}

extension DeviceIndex.Entry {
    /// Creates the index entry for an encoded value.
    init(_ encoded: UnsafeRawBufferPointer, _ expiry: Int64?) throws {
        if encoded.count > LogFormat.largestValueInMemory {
            self.init(value: .null, length: encoded.count, checksum: CRC32C.of(encoded), expiry: expiry)
        } else if let value = LogValue.decode(encoded), value != .null {
            self.init(value: value, length: encoded.count, checksum: 0, expiry: expiry)
        } else {
            throw StoreError(
                .damaged,
                "A commit with a valid checksum contains a value that this version of Larder can't decode. Update Larder to a version that supports the value."
            )
        }
    }
}
