/// The slots of an index and the way to its entries, in one piece of memory that never changes its size.
///
/// Word 0 is the number of slots less one, word 1 the address of the directory; the slots begin at word 8. A slot holds the lower
/// half of the key's hash in its upper half, and the number of its entry plus one; zero is a free slot. The directory says in word 0
/// how many chunks it has room for, and behind it where they are: chunks of 256 entries, which never move.
struct IndexTable: Sendable {
    static let firstSlot = 8

    let words: IndexWords

    @inline(__always)
    init(_ words: IndexWords) { self.words = words }

    /// How many words a table of `size` slots takes.
    static func wordCount(_ size: Int) -> Int { firstSlot + size }

    /// How many words a directory with room for `chunks` takes.
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

    /// How many chunks the directory has room for.
    var directorySize: Int { Int(truncatingIfNeeded: directory[0]) }

    /// Gives the table a directory that has no chunks yet.
    func begin(_ directory: IndexWords, size: Int) {
        directory[0] = UInt64(size)
        self.directory = directory
    }

    /// A chunk of the directory; `nil` where there is none yet.
    func chunk(_ index: Int) -> IndexWords? { directory.pointer(1 &+ index) }

    func setChunk(_ index: Int, _ chunk: IndexWords) { directory.setPointer(1 &+ index, chunk) }

    @inline(__always)
    func slot(_ place: Int) -> UInt64 { words[Self.firstSlot &+ place] }

    @inline(__always)
    func setSlot(_ place: Int, _ slot: UInt64) { words[Self.firstSlot &+ place] = slot }

    /// The entry of that number, which is one of this table's.
    @inline(__always)
    func entry(_ number: Int) -> IndexEntry {
        IndexEntry(number & 255, in: IndexWords(at: directory[1 &+ number >> 8], or: words))
    }

    /// An entry for whoever looks without a lock: there to be read, whatever has happened to the table since the number was read,
    /// but of any key; `nil` when it is not to be found.
    ///
    /// What was a directory or a chunk once is one for ever (``IndexMemory``), so all that an old number can lead out of is a
    /// directory that is too small for it.
    @inline(__always)
    func reachableEntry(_ number: Int) -> IndexEntry? {
        guard let directory = words.pointer(1), UInt64(truncatingIfNeeded: number >> 8) < directory[0],
            let chunk = directory.pointer(1 &+ number >> 8)
        else { return nil }
        return IndexEntry(number & 255, in: chunk)
    }

    /// The slot of `key`, or `nil` when it has none; for whoever can rely on nobody changing the table meanwhile.
    @inline(__always)
    func place(of key: KeyWords, hashed hash: UInt64) -> Int? {
        let found = search(for: key, hashed: hash)
        return found.isTaken ? found.place : nil
    }

    /// The slot of `key`, or the free one that it would be put into; for whom ``place(of:hashed:)`` is for.
    @inline(__always)
    func search(for key: KeyWords, hashed hash: UInt64) -> (place: Int, isTaken: Bool) {
        let tag = Self.tag(hash)
        let mask = mask
        var place = place(tag)
        while true {
            let slot = slot(place)
            if slot == 0 { return (place, false) }
            if Self.tag(ofSlot: slot) == tag {
                let entry = entry(Self.number(ofSlot: slot))
                if entry.holds(key), key.isInEntry || key.equals(entry.longKey) { return (place, true) }
            }
            place = (place + 1) & mask
        }
    }

    // MARK: What is in a slot

    @inline(__always)
    static func tag(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

    @inline(__always)
    static func tag(ofSlot slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot >> 32) }

    @inline(__always)
    static func number(ofSlot slot: UInt64) -> Int { Int(truncatingIfNeeded: slot & 0xFFFF_FFFF) &- 1 }

    @inline(__always)
    static func slot(_ tag: UInt32, _ number: Int) -> UInt64 { UInt64(tag) << 32 | UInt64(number + 1) }

    @inline(__always)
    func place(_ tag: UInt32) -> Int { Int(tag) & mask }
}
