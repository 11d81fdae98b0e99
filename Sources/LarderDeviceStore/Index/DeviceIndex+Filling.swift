import LarderCore
import LarderFiles

// Taking over what frames of the log hold: most of what opening a store is.
extension DeviceIndex {
    private struct ReadEntry {
        let isRemoval: Bool
        let offset: Int
        let key: Int
        let value: Int
        let end: Int
        let expiry: Int64?
        let hash: UInt64
        /// Its value; `nil` for anything but a number that never expires.
        let number: Int64?
        /// What stood in the table where its key is looked for first.
        var slot: UInt64 = 0
    }

    /// How many entries are read before the first of them is applied.
    private static var entriesAtOnce: Int { 16 }
    /// The most keys that room is made for by a guess: the rest of a file may be anything.
    private static var largestGuess: Int { 1 << 21 }

    /// Makes room for what follows in a log of which about `logSize` bytes are in use and `found` is the first frame.
    mutating func reserve(for found: FoundFrame, logSize: Int) {
        let entries = found.entryCount
        guard count == 0, entries > 0 else { return }
        // As if all entries were about as long as these, and a fifth of them dead; but never much too large for what entries take.
        let length = max(1, found.frame.end - found.frame.offset)
        let expected = min(logSize / max(1, length / entries) / 5 * 4, logSize / 24, Self.largestGuess)
        reserve(max(entries, expected))
    }

    /// Applies the entries of a valid frame.
    mutating func apply(_ found: FoundFrame, hash: KeyHash) throws {
        let (bytes, end) = (found.bytes, found.frame.entries.upperBound)
        var position = found.frame.entries.lowerBound
        try withUnsafeTemporaryAllocation(of: ReadEntry.self, capacity: Self.entriesAtOnce) { read in
            var isMore = true
            while isMore {
                var count = 0
                /// Whether all of them are numbers under keys that lie in their entries.
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
                // In a large table each of these comes from memory: so the processor asks for all of them at once.
                for index in 0..<count { read[index].slot = table.slot(table.place(IndexTable.tag(read[index].hash))) }
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

    /// Whether so many keys more fit into the table, into entries that were never used, and nobody looks on.
    @inline(__always)
    private func hasRoom(for more: Int) -> Bool {
        view == nil && free.isEmpty && count + more <= (table.mask + 1) * 3 / 4
    }

    /// Applies numbers under keys that lie in their entries, where there is room: ``set(_:for:hashed:at:)`` without what they don't
    /// need.
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
            if slot.isTaken {
                let old = IndexTable.number(ofSlot: table.slot(slot.place))
                replace(old, with: held, length: length, at: origin &+ entry.offset)
                continue
            }
            if number & (IndexEntry.inChunk - 1) == 0 { addChunk(for: number) }
            let place = table.entry(number)
            place.setKey(key, longKey: nil)
            place.setValue(held, length: length, keyLength: key.count)
            place.setPosition(side, origin &+ entry.offset)
            table.setSlot(slot.place, IndexTable.slot(IndexTable.tag(entry.hash), number))
            number &+= 1
            bytesAdded &+= entry.end &- entry.offset
        }
        count += number - entryEnd
        entryEnd = number
        liveBytes += bytesAdded
    }

    @inline(__always)
    private mutating func apply(_ read: ReadEntry, _ bytes: UnsafeRawBufferPointer, _ origin: Int) throws {
        let key = bytes.slice(read.key..<read.value)
        if read.isRemoval { return remove(key, hashed: read.hash) }
        let encoded = bytes.slice(read.value..<read.end)
        let position = origin + read.offset
        if let number = read.number {
            // What most values are: nothing of them has to be let go of.
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
        for key: UnsafeRawBufferPointer,
        hashed hash: UInt64,
        at position: Int
    ) throws {
        set(try Entry(encoded, expiry), for: key, hashed: hash, at: position)
    }
}

extension DeviceIndex.Entry {
    /// What memory keeps of an encoded value.
    init(_ encoded: UnsafeRawBufferPointer, _ expiry: Int64?) throws {
        if encoded.count > LogFormat.largestValueInMemory {
            self.init(value: .null, length: encoded.count, checksum: CRC32C.of(encoded), expiry: expiry)
        } else if let value = LogValue.decode(encoded), value != .null {
            self.init(value: value, length: encoded.count, checksum: 0, expiry: expiry)
        } else {
            throw StoreError(
                .damaged,
                "A commit that is whole holds a value that this version can't decode: use a newer version."
            )
        }
    }
}
