/// The slots of an index and the way to its entries, in one piece of memory that never changes its size.
///
/// Word 0 is the number of slots less one, word 1 the address of the directory; the slots begin at word 8. A slot holds the lower
/// half of the key's hash in its upper half, and the number of its entry plus one; zero is a free slot. The directory holds the
/// addresses of chunks of 256 entries, which never move.
struct IndexTable: Sendable {
    static let firstSlot = 8

    let words: IndexWords

    @inline(__always)
    init(_ words: IndexWords) { self.words = words }

    /// How many words a table of `size` slots takes.
    static func wordCount(_ size: Int) -> Int { firstSlot + size }

    @inline(__always)
    var mask: Int {
        get { Int(truncatingIfNeeded: words[0]) }
        nonmutating set { words[0] = UInt64(newValue) }
    }

    @inline(__always)
    var directory: IndexWords {
        get { IndexWords(at: words[1], or: words) }
        nonmutating set { words[1] = newValue.asWord }
    }

    @inline(__always)
    func slot(_ place: Int) -> UInt64 { words[Self.firstSlot &+ place] }

    @inline(__always)
    func setSlot(_ place: Int, _ slot: UInt64) { words[Self.firstSlot &+ place] = slot }

    @inline(__always)
    func entry(_ number: Int) -> IndexEntry {
        let chunk = IndexWords(at: directory[number >> 8], or: words)
        return IndexEntry(number & 255, in: chunk)
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
