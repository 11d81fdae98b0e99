/// The hash table of an index and the directory of its entries.
///
/// The table has a fixed size and occupies one block of memory. Word 0 is the number of slots minus one, and word 1 is the address of the
/// directory. The slots, a ``ProbeTable`` of entry numbers, begin at word 8. Word 0 of the directory is its capacity. The addresses of the
/// chunks follow. A chunk has 256 entries and never moves.
struct IndexTable: Sendable {
    static let firstSlot = 8

    let words: IndexWords

    @inline(__always)
    init(_ words: IndexWords) { self.words = words }

    /// Returns the number of words in a table that has `size` slots.
    static func wordCount(_ size: Int) -> Int { firstSlot + size }

    /// Returns the number of words in a directory with a capacity of `chunks` chunks.
    static func directoryWordCount(_ chunks: Int) -> Int { 1 + chunks }

    @inline(__always)
    var mask: Int {
        get { Int(truncatingIfNeeded: words[0]) }
        nonmutating set { words[0] = UInt64(newValue) }
    }

    @inline(__always)
    var directory: IndexWords {
        get { IndexWords(at: words[1], or: words) }
        nonmutating set { words.setPointer(1, newValue) }
    }

    /// The capacity of the directory, in chunks.
    var directorySize: Int { Int(truncatingIfNeeded: directory[0]) }

    /// Installs an empty directory with a capacity of `size` chunks.
    func begin(_ directory: IndexWords, size: Int) {
        directory[0] = UInt64(size)
        self.directory = directory
    }

    /// Returns the chunk at `index` in the directory, or `nil` if it has not been allocated.
    func chunk(_ index: Int) -> IndexWords? { directory.pointer(1 &+ index) }

    func setChunk(_ index: Int, _ chunk: IndexWords) { directory.setPointer(1 &+ index, chunk) }

    /// The hash table that maps keys to entry numbers.
    @inline(__always)
    var numbers: ProbeTable { ProbeTable(words.advanced(by: Self.firstSlot), mask: mask) }

    /// Returns the entry with the given number, which must be valid.
    @inline(__always)
    func entry(_ number: Int) -> IndexEntry {
        IndexEntry(number & 255, in: IndexWords(at: directory[1 &+ number >> 8], or: words))
    }

    /// Returns the entry with the given number to a lock-free reader, or `nil` if the number exceeds the directory's capacity.
    ///
    /// If the table has changed since the number was read, the entry is still readable but may belong to another key.
    @inline(__always)
    func reachableEntry(_ number: Int) -> IndexEntry? {
        guard let directory = words.pointer(1), UInt64(truncatingIfNeeded: number >> 8) < directory[0],
            let chunk = directory.pointer(1 &+ number >> 8)
        else { return nil }
        return IndexEntry(number & 255, in: chunk)
    }

    /// Searches for `key`, and returns the index of the key's slot and the number of the key's entry.
    ///
    /// If the key is absent, returns the index of the free slot for the key.
    ///
    /// The table must not change during the call.
    @inline(__always)
    func search(for key: KeyWords, hashed hash: UInt64) -> (place: Int, number: Int?) {
        numbers.search(hash) { number in
            let entry = entry(number)
            return entry.holds(key) && (key.isInEntry || key.equals(entry.longKey))
        }
    }
}
