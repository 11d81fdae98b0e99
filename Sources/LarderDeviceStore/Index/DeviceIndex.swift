import LarderCore
import LarderFiles

/// The in-memory index of a store, which maps keys to entries.
///
/// The index is an open-addressing table of 8-byte slots that refer to entries of 64 bytes each. An entry holds the decoded value, or
/// `.null` if the value is stored only in the file. Removals shift later slots back, so there are no tombstones. For lock-free reads, see
/// ``IndexView``.
struct DeviceIndex: ~Copyable {
    /// A value in the index, with its encoded size, checksum and expiry.
    struct Entry {
        /// The value, or `.null` if the value is stored only in the file.
        var value: StoredValue
        /// The encoded size of the value in bytes.
        var length: Int
        /// The CRC-32C checksum of the encoded value if it is stored only in the file.
        var checksum: UInt32
        /// The expiry in milliseconds since 1970, or `Int64.max` if the entry never expires.
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
    /// The number of entries that have ever been in use, including freed entries.
    var entryEnd = 0
    var free: [Int] = []
    var keys = KeyBytes()
    /// The view that lock-free readers use, or `nil` if there are no such readers.
    var view: IndexView?
    /// The number of keys in the index.
    var count = 0
    /// The total size in bytes that the entries would have in a snapshot.
    var liveBytes = 0
    /// The index (0 or 1) of the current position in each entry.
    ///
    /// A compaction fills in the other position of each entry, and then changes only this index to switch to the new file.
    var side = 0
    /// The total size of the entries that have an expiry, grouped by expiry.
    var expiries = ExpiryCalendar()

    static let smallestCapacity = 16

    /// Creates an index with room for `capacity` keys.
    init(hash: KeyHash = .process, memory: IndexMemory = IndexMemory(), capacity: Int = 0) {
        self.hash = hash
        self.memory = memory
        let size = Self.tableSize(for: capacity)
        table = IndexTable(memory.take(IndexTable.wordCount(size), for: .table))
        table.mask = size - 1
        let chunks = max(4, capacity / IndexEntry.inChunk + 1)
        table.begin(memory.take(IndexTable.directoryWordCount(chunks), for: .directory), size: chunks)
    }

    /// Returns the number of slots that a table for `capacity` keys needs.
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

    /// Frees a block of the index's memory, or keeps the block for reuse if lock-free readers may still be reading it.
    func release(_ words: IndexWords, _ count: Int, for use: IndexMemory.Use) {
        if view == nil { memory.free(words, count, for: use) } else { memory.giveBack(words, count, for: use) }
    }

    // MARK: Lookup under the lock

    /// Returns the entry number of `key`, or `nil` if the index does not contain the key.
    @inline(__always)
    func find(_ key: KeyWords, hashed hash: UInt64) -> Int? {
        table.search(for: key, hashed: hash).number
    }

    func find(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let key = KeyWords(bytes)
        return find(key, hashed: hash.of(key))
    }

    /// Returns a copy of the value and metadata of entry `number`.
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

    /// Returns the expiry of entry `number` in milliseconds since 1970, or `Int64.max` if the entry never expires.
    func expiry(_ number: Int) -> Int64 { table.entry(number).value.box?.pointee.expiry ?? .max }

    /// Calls `body` with the key of entry `number`.
    func withKey<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try table.entry(number).withKey(body)
    }

    /// Returns the offset of entry `number` in the log.
    func position(_ number: Int) -> Int { table.entry(number).position(side) }

    /// Returns the offset of the encoded value from the beginning of entry `number` in the log, in bytes.
    func valueOffset(_ number: Int) -> Int {
        let entry = table.entry(number)
        return entry.size(expires: expiry(number) != .max) - entry.valueLength
    }

    /// Returns the total size in bytes that the entries expired by `now` would have in a snapshot.
    ///
    /// The result is accurate to about a minute.
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

    /// Calls `body` with each entry number, in no particular order.
    ///
    /// The index must not change during the call.
    func forEachIndex(_ body: (Int) throws -> Void) rethrows {
        guard count > 0 else { return }
        try table.numbers.forEach { number, _ in try body(number) }
    }
}
