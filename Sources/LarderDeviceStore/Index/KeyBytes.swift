/// Storage for the bytes of keys that are too long for index entries.
///
/// The keys are packed into blocks that never move, so that index entries can point to them.
struct KeyBytes: ~Copyable {
    private var blocks: [(words: IndexWords, count: Int)] = []
    private var used = 0
    /// The number of words that released keys still occupy.
    private(set) var wasted = 0
    private(set) var kept = 0

    private static let smallestBlock = 512
    private static let largestBlock = 1 << 17

    init() {}

    /// Copies the bytes of `key` into this storage.
    ///
    /// The copy does not move until the storage is repacked.
    mutating func copy(_ key: KeyWords, _ memory: IndexMemory) -> IndexWords {
        let count = KeyWords.wordCount(key.count)
        let place = room(for: count, memory)
        for index in 0..<count { place[index] = key.word(index) }
        return place
    }

    /// Copies the words of a key of `length` bytes into this storage.
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

    /// Returns the size in words of the next block to allocate.
    ///
    /// The size is a power of two close to the current total size. Blocks of equal size can be reused.
    private func blockSize(for count: Int) -> Int {
        var size = Self.smallestBlock
        while size < count || (size < Self.largestBlock && size * 2 <= kept) { size *= 2 }
        return size
    }

    /// Marks the space of a key of `length` bytes as reclaimable.
    mutating func giveUp(_ length: Int) {
        wasted += KeyWords.wordCount(length)
        kept -= KeyWords.wordCount(length)
    }

    /// Returns whether repacking would free enough space to justify iterating over a table of `slots` slots.
    func needsRepacking(slots: Int) -> Bool { wasted > max(kept + Self.smallestBlock, slots / 4) }

    /// Calls `body` with each allocated block.
    func forEachBlock(_ body: (IndexWords, _ count: Int) -> Void) {
        for block in blocks { body(block.words, block.count) }
    }
}
