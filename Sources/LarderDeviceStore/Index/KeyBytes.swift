/// Long keys packed one behind the other in blocks that never move, so that an index entry can point at its key.
struct KeyBytes: ~Copyable {
    private var blocks: [(words: IndexWords, count: Int)] = []
    private var used = 0
    /// Words of keys that were given up.
    private(set) var wasted = 0
    private(set) var kept = 0

    private static let smallestBlock = 512
    private static let largestBlock = 1 << 17

    init() {}

    /// A copy of `key` that stays where it is until it is given up and the memory is packed anew.
    mutating func copy(_ key: KeyWords, _ memory: IndexMemory) -> IndexWords {
        let count = KeyWords.wordCount(key.count)
        let place = room(for: count, memory)
        for index in 0..<count { place[index] = key.word(index) }
        return place
    }

    /// The same for a key that is in such memory already.
    mutating func copy(_ words: IndexWords, ofKeyWith length: Int, _ memory: IndexMemory) -> IndexWords {
        let count = KeyWords.wordCount(length)
        let place = room(for: count, memory)
        for index in 0..<count { place[index] = words[index] }
        return place
    }

    private mutating func room(for count: Int, _ memory: IndexMemory) -> IndexWords {
        if blocks.isEmpty || used + count > blocks[blocks.count - 1].count {
            let size = blockSize(for: count)
            blocks.append((memory.take(size, for: .keys), size))
            used = 0
        }
        let place = blocks[blocks.count - 1].words.advanced(by: used)
        used += count
        kept += count
        return place
    }

    /// About as much as there is already, but a power of two: what is given back is taken again only for the same size.
    private func blockSize(for count: Int) -> Int {
        var size = Self.smallestBlock
        while size < count || (size < Self.largestBlock && size * 2 <= kept) { size *= 2 }
        return size
    }

    /// Notes that a key of that length is no longer needed.
    mutating func giveUp(_ length: Int) {
        wasted += KeyWords.wordCount(length)
        kept -= KeyWords.wordCount(length)
    }

    /// Whether so much is given up that packing what is left pays, for which a table of so many slots is gone through.
    func wantsPacking(beside slots: Int) -> Bool { wasted > max(kept + Self.smallestBlock, slots / 4) }

    /// Calls `body` with each piece of memory that was taken.
    func forEachBlock(_ body: (IndexWords, _ count: Int) -> Void) {
        for block in blocks { body(block.words, block.count) }
    }
}
