import LarderCore
import LarderFiles

/// What is stored, by key bytes: an open-addressing table of 8-byte slots over entries of 64 bytes each.
///
/// Entries keep the value ready to return, or `.null` for a value that is left in the file. Removal moves later slots of the run
/// back, so that lookups never meet the graves of old keys. Everything readers may look at without a lock is changed by atomic
/// stores and lies in memory that ``IndexMemory`` keeps; see ``IndexView``.
struct DeviceIndex: ~Copyable {
    /// What memory keeps of one value.
    struct Entry {
        /// `.null`, which no store holds at the top level, when the value is left in the file.
        var value: StoredValue
        /// Encoded bytes of the value.
        var length: Int
        /// CRC-32C of the encoded value, for one that is left in the file.
        var checksum: UInt32
        /// Milliseconds since 1970; `Int64.max` for never.
        var expiry: Int64

        @inline(__always)
        init(value: StoredValue, length: Int, checksum: UInt32, expiry: Int64?) {
            self.value = value
            self.length = length
            self.checksum = checksum
            self.expiry = expiry ?? .max
        }

        var isInFile: Bool {
            if case .null = value { true } else { false }
        }
    }

    let hash: KeyHash
    let memory: IndexMemory
    var table: IndexTable
    /// Entries in use or free again: those beyond were never used.
    var entryEnd = 0
    var free: [Int] = []
    var keys = KeyBytes()
    /// Who reads without a lock; `nil` for nobody.
    var view: IndexView?
    /// How many keys there are.
    var count = 0
    /// What the entries take in a snapshot.
    var liveBytes = 0
    /// Which of an entry's two positions counts.
    ///
    /// The other one is filled in while compaction makes another file; turning over is then a matter of one word,
    /// however many entries there are.
    var side = 0
    /// What of the entries expires, and when.
    var expiries = ExpiryCalendar()

    static let smallestCapacity = 16

    /// An index with room for `capacity` keys.
    init(hash: KeyHash = .process, memory: IndexMemory = IndexMemory(), capacity: Int = 0) {
        self.hash = hash
        self.memory = memory
        let size = Self.tableSize(for: capacity)
        table = IndexTable(memory.take(IndexTable.wordCount(size), for: .table))
        table.mask = size - 1
        let chunks = max(4, capacity / IndexEntry.inChunk + 1)
        table.begin(memory.take(IndexTable.directoryWordCount(chunks), for: .directory), size: chunks)
    }

    /// How many slots a table for that many keys has.
    static func tableSize(for capacity: Int) -> Int {
        var size = smallestCapacity
        while size * 3 / 4 < capacity { size *= 2 }
        return size
    }

    deinit {
        forEachIndex { table.entry($0).value.release() }
        let size = table.directorySize
        for index in 0..<size {
            if let chunk = table.chunk(index) { memory.giveBack(chunk, Self.wordsInChunk, for: .chunk) }
        }
        memory.giveBack(table.directory, IndexTable.directoryWordCount(size), for: .directory)
        memory.giveBack(table.words, IndexTable.wordCount(table.mask + 1), for: .table)
        keys.forEachBlock { memory.giveBack($0, $1, for: .keys) }
    }

    static var wordsInChunk: Int { IndexEntry.inChunk * IndexEntry.wordCount }

    /// Lets go of memory that readers may still be looking at, where there are any.
    func release(_ words: IndexWords, _ count: Int, for use: IndexMemory.Use) {
        if view == nil { memory.free(words, count, for: use) } else { memory.giveBack(words, count, for: use) }
    }

    // MARK: Looking up, for whoever holds the lock

    /// The number of the entry of `key`, or `nil` when there is none.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer, hashed hash: UInt64) -> Int? {
        place(of: KeyWords(key), hashed: hash).map { IndexTable.number(ofSlot: table.slot($0)) }
    }

    func find(_ key: UnsafeRawBufferPointer) -> Int? { find(key, hashed: hash(key)) }

    @inline(__always)
    func place(of key: KeyWords, hashed hash: UInt64) -> Int? { table.place(of: key, hashed: hash) }

    /// What memory keeps under that number.
    func entry(_ number: Int) -> Entry {
        let entry = table.entry(number)
        if let box = entry.value.box {
            return Entry(
                value: box.pointee.value,
                length: entry.valueLength,
                checksum: box.pointee.checksum,
                expiry: box.pointee.expiry
            )
        }
        return Entry(value: entry.value.unboxed, length: entry.valueLength, checksum: 0, expiry: nil)
    }

    /// When the entry of that number expires; `Int64.max` for never.
    func expiry(_ number: Int) -> Int64 { table.entry(number).value.box?.pointee.expiry ?? .max }

    /// Hands the key of that number to `body`.
    func withKey<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try table.entry(number).withKey(body)
    }

    /// Where the entry of that number lies in the log.
    func position(_ number: Int) -> Int { table.entry(number).position(side) }

    /// Where its encoded value lies, counted from the beginning of the entry.
    func valueOffset(_ number: Int) -> Int {
        let entry = table.entry(number)
        return entry.size(expires: expiry(number) != .max) - entry.valueLength
    }

    /// What the entries take in a snapshot that have expired by `now`, give or take a minute; looks at every entry only where the clock
    /// was set back.
    mutating func expiredBytes(by now: Int64) -> Int {
        if expiries.isAhead(of: now) {
            var anew = ExpiryCalendar()
            forEachIndex { number in
                let expiry = expiry(number)
                if expiry != .max { anew.add(table.entry(number).size(expires: true), until: expiry) }
            }
            expiries = anew
        }
        return expiries.count > 0 ? expiries.advance(to: now) : 0
    }

    /// Calls `body` with the number of every entry, in no particular order.
    ///
    /// Nothing may be changed meanwhile.
    func forEachIndex(_ body: (Int) throws -> Void) rethrows {
        guard count > 0 else { return }
        for place in 0...table.mask {
            let slot = table.slot(place)
            if slot != 0 { try body(IndexTable.number(ofSlot: slot)) }
        }
    }
}
