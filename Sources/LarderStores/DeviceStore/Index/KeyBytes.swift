/// Keys packed one behind the other in blocks that never move, so that an index entry can point at its key.
struct KeyBytes: ~Copyable {
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0
    /// Bytes of keys that were given up.
    private(set) var wasted = 0
    private(set) var kept = 0

    private static let smallestBlock = 4 << 10
    private static let largestBlock = 1 << 20

    init() {}

    deinit { for block in blocks { block.deallocate() } }

    /// A copy of `key` that stays where it is until it is given up and the memory is packed anew.
    mutating func copy(_ key: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        if blocks.isEmpty || used + key.count > blocks[blocks.count - 1].count { addBlock(for: key.count) }
        let block = blocks[blocks.count - 1]
        let place = UnsafeMutableRawBufferPointer(rebasing: block[used..<used + key.count])
        place.copyMemory(from: key)
        used += key.count
        kept += key.count
        // A block is never empty, so that there is an address even for the empty key.
        return UnsafeRawPointer(block.baseAddress.unsafelyUnwrapped + (used - key.count))
    }

    /// Notes that a key of that length is no longer needed.
    mutating func giveUp(_ count: Int) {
        wasted += count
        kept -= count
    }

    /// Whether so much is given up that packing what is left pays.
    var wantsPacking: Bool { wasted > kept + Self.smallestBlock }

    private mutating func addBlock(for count: Int) {
        let size = max(count, min(Self.largestBlock, max(Self.smallestBlock, kept)), 1)
        blocks.append(.allocate(byteCount: size, alignment: 8))
        used = 0
    }
}
