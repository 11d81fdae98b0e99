import LarderCore

/// What is stored, by key bytes: an open-addressing table of 8-byte slots over entries of one cache line each.
///
/// A slot holds the upper half of the key's hash and the number of its entry plus one; zero is a free slot. Entries keep the
/// value ready to return, or `.null` for a value that is left in the file. Removal moves later slots of the run back, so that
/// lookups never meet the graves of old keys.
///
/// Sendable although it holds pointers: it can't be copied, so the memory behind them has one owner, and goes where it goes.
struct DeviceIndex: ~Copyable, @unchecked Sendable {
    /// One key, its value and where both lie in the log.
    ///
    /// The order of the fields makes it 64 bytes.
    struct Entry {
        var key: UnsafeRawPointer
        /// `.null`, which no store holds at the top level, when the value is left in the file.
        var value: StoredValue
        var keyLength: UInt16
        /// Encoded bytes of the value.
        var valueLength: UInt32
        /// Where the entry lies in the log, by ``DeviceIndex/side``.
        var positions: (Int, Int)
        /// CRC-32C of the encoded value, for one that is left in the file.
        var checksum: UInt32
        var hash: UInt32
        /// Milliseconds since 1970; `Int64.max` for never.
        var expiry: Int64

        /// An entry whose key, hash and position are filled in by ``DeviceIndex/set(_:for:hashed:at:)``.
        init(value: StoredValue, length: Int, checksum: UInt32, expiry: Int64?) {
            key = Self.noKey
            self.value = value
            keyLength = 0
            valueLength = UInt32(truncatingIfNeeded: length)
            positions = (0, 0)
            self.checksum = checksum
            hash = 0
            self.expiry = expiry ?? .max
        }

        /// Only an address to begin with; nothing is read there.
        nonisolated(unsafe) private static let noKey = UnsafeRawPointer(
            UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
        )

        var keyBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: key, count: Int(keyLength)) }
        var isInFile: Bool {
            if case .null = value { true } else { false }
        }

        /// What it takes in a snapshot.
        var size: Int { LogEntry.size(key: Int(keyLength), value: Int(valueLength), expires: expiry != .max).total }

        /// Where its encoded value lies, counted from the beginning of the entry.
        var valueOffset: Int {
            LogEntry.size(key: Int(keyLength), value: Int(valueLength), expires: expiry != .max).beforeKey
                + Int(keyLength)
        }
    }

    private var slots: UnsafeMutablePointer<UInt64>
    private var mask: Int
    private var entries: UnsafeMutablePointer<Entry>
    private var entryCapacity: Int
    /// Entries in use or free again: those beyond were never used.
    private var entryEnd = 0
    private var free: [Int] = []
    private var keys = KeyBytes()
    let hash: KeyHash
    /// How many keys there are.
    private(set) var count = 0
    /// What the entries take in a snapshot.
    private(set) var liveBytes = 0
    /// Which of an entry's two positions counts.
    ///
    /// The other one is filled in while compaction makes another file; turning over is then a matter of one word,
    /// however many entries there are.
    private(set) var side = 0
    /// How many keys have an expiry.
    private(set) var expiringCount = 0

    private static let smallestCapacity = 16
    private static let cacheLine = 64

    init(hash: KeyHash = .process, capacity: Int = 0) {
        self.hash = hash
        var size = Self.smallestCapacity
        while size * 3 / 4 < capacity { size *= 2 }
        slots = .allocate(capacity: size)
        slots.initialize(repeating: 0, count: size)
        mask = size - 1
        entryCapacity = size * 3 / 4
        entries = Self.allocateEntries(entryCapacity)
    }

    deinit {
        forEachIndex { (entries + $0).deinitialize(count: 1) }
        UnsafeMutableRawPointer(entries).deallocate()
        slots.deallocate()
    }

    private static func allocateEntries(_ count: Int) -> UnsafeMutablePointer<Entry> {
        UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Entry>.stride, alignment: cacheLine)
            .bindMemory(to: Entry.self, capacity: count)
    }

    // MARK: Looking up

    /// The number of the entry of `key`, or `nil` when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, hashed hash: UInt64) -> Int? {
        slot(of: key, hashed: hash).map { Int(truncatingIfNeeded: slots[$0] & 0xFFFF_FFFF) - 1 }
    }

    func find(_ key: UnsafeRawBufferPointer) -> Int? { find(key, hashed: hash(key)) }

    @inline(__always)
    private func slot(of key: UnsafeRawBufferPointer, hashed hash: UInt64) -> Int? {
        let tag = UInt32(truncatingIfNeeded: hash)
        var place = Int(tag) & mask
        while true {
            let slot = slots[place]
            if slot == 0 { return nil }
            if UInt32(truncatingIfNeeded: slot >> 32) == tag {
                let entry = entries + (Int(slot & 0xFFFF_FFFF) - 1)
                if Int(entry.pointee.keyLength) == key.count, equal(entry.pointee.key, key) { return place }
            }
            place = (place + 1) & mask
        }
    }

    @inline(__always)
    private func equal(_ stored: UnsafeRawPointer, _ key: UnsafeRawBufferPointer) -> Bool {
        guard let given = key.baseAddress else { return true }
        var rest = key.count
        var offset = 0
        while rest >= 8 {
            if stored.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != given.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset += 8
            rest -= 8
        }
        while rest > 0 {
            if stored.load(fromByteOffset: offset, as: UInt8.self) != given.load(fromByteOffset: offset, as: UInt8.self)
            {
                return false
            }
            offset += 1
            rest -= 1
        }
        return true
    }

    /// The entry of that number.
    ///
    /// Valid until something is changed.
    @inline(__always)
    func entry(_ number: Int) -> UnsafePointer<Entry> { UnsafePointer(entries + number) }

    /// Where the entry of that number lies in the log.
    func position(_ number: Int) -> Int { side == 0 ? entries[number].positions.0 : entries[number].positions.1 }

    /// Calls `body` with the number of every entry, in no particular order.
    ///
    /// Nothing may be changed meanwhile.
    func forEachIndex(_ body: (Int) throws -> Void) rethrows {
        guard count > 0 else { return }
        for place in 0...mask where slots[place] != 0 { try body(Int(slots[place] & 0xFFFF_FFFF) - 1) }
    }

    // MARK: Changing

    /// Puts `entry` under `key`, whose bytes are copied when the key is new.
    mutating func set(_ entry: Entry, for key: UnsafeRawBufferPointer, hashed hash: UInt64, at position: Int) {
        if let number = find(key, hashed: hash) { return replace(number, with: entry, at: position) }
        var entry = entry
        entry.hash = UInt32(truncatingIfNeeded: hash)
        entry.keyLength = UInt16(truncatingIfNeeded: key.count)
        entry.positions = side == 0 ? (position, 0) : (0, position)
        remember(entry)
        if count + 1 > (mask + 1) * 3 / 4 { grow() }
        entry.key = keys.copy(key)
        let number = free.popLast() ?? nextEntry()
        (entries + number).initialize(to: entry)
        insert(number, tag: entry.hash)
        count += 1
    }

    /// Puts `entry` in the place of the entry of that number, under the same key.
    mutating func replace(_ number: Int, with entry: Entry, at position: Int) {
        let place = entries + number
        forget(place.pointee)
        var entry = entry
        entry.key = place.pointee.key
        entry.keyLength = place.pointee.keyLength
        entry.hash = place.pointee.hash
        entry.positions = side == 0 ? (position, 0) : (0, position)
        remember(entry)
        place.pointee = entry
    }

    /// Removes `key`; harmless when it is not there.
    mutating func remove(_ key: UnsafeRawBufferPointer, hashed hash: UInt64) {
        guard var place = slot(of: key, hashed: hash) else { return }
        let number = Int(slots[place] & 0xFFFF_FFFF) - 1
        forget(entries[number])
        keys.giveUp(key.count)
        (entries + number).deinitialize(count: 1)
        free.append(number)
        count -= 1
        slots[place] = 0
        var next = (place + 1) & mask
        while slots[next] != 0 {
            let home = Int(slots[next] >> 32) & mask
            // Whether its home lies, going round, behind the gap: then it can't be reached across it only if it stays.
            if (next - home) & mask >= (next - place) & mask {
                slots[place] = slots[next]
                slots[next] = 0
                place = next
            }
            next = (next + 1) & mask
        }
        if keys.wantsPacking { packKeys() }
    }

    /// Notes where an entry will lie once ``turnOver()`` is called.
    mutating func prepare(_ number: Int, at position: Int) {
        if side == 0 { entries[number].positions.1 = position } else { entries[number].positions.0 = position }
    }

    /// Makes the prepared positions count.
    ///
    /// Every entry must have one.
    mutating func turnOver() { side = 1 - side }

    private mutating func remember(_ entry: Entry) {
        liveBytes += entry.size
        if entry.expiry != .max { expiringCount += 1 }
    }

    private mutating func forget(_ entry: Entry) {
        liveBytes -= entry.size
        if entry.expiry != .max { expiringCount -= 1 }
    }

    private mutating func insert(_ number: Int, tag: UInt32) {
        var place = Int(tag) & mask
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = UInt64(tag) << 32 | UInt64(number + 1)
    }

    private mutating func nextEntry() -> Int {
        if entryEnd == entryCapacity {
            let larger = Self.allocateEntries(entryCapacity * 2)
            larger.moveInitialize(from: entries, count: entryEnd)
            UnsafeMutableRawPointer(entries).deallocate()
            entries = larger
            entryCapacity *= 2
        }
        entryEnd += 1
        return entryEnd - 1
    }

    private mutating func grow() {
        let old = slots
        let oldSize = mask + 1
        slots = .allocate(capacity: oldSize * 2)
        slots.initialize(repeating: 0, count: oldSize * 2)
        mask = oldSize * 2 - 1
        for place in 0..<oldSize where old[place] != 0 {
            insert(Int(old[place] & 0xFFFF_FFFF) - 1, tag: UInt32(truncatingIfNeeded: old[place] >> 32))
        }
        old.deallocate()
    }

    private mutating func packKeys() {
        var packed = KeyBytes()
        for place in 0...mask where slots[place] != 0 {
            let entry = entries + (Int(slots[place] & 0xFFFF_FFFF) - 1)
            entry.pointee.key = packed.copy(entry.pointee.keyBytes)
        }
        keys = packed
    }
}
