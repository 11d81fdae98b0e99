#if Objects
/// The cells and free blocks in the content area of a page.
struct PageLayout {
    let start: Int
    let end: Int
    let fragments: Int
    /// The byte ranges of cells and free blocks, each packed into one integer with the start of the range in the high bits.
    private var parts: [Int] = []

    init(start: Int, end: Int, fragments: Int) {
        self.start = start
        self.end = end
        self.fragments = fragments
    }

    mutating func add(_ offset: Int, size: Int) { parts.append(offset << 20 | (offset + size)) }

    mutating func addFreeBlocks(_ bytes: [UInt8], first: Int) -> Bool {
        var offset = first
        var last = start - 1
        while offset != 0 {
            guard offset > last, offset <= end - 4 else { return false }
            let size = bytes.uint16(at: offset + 2)
            guard size >= 4, offset + size <= end else { return false }
            add(offset, size: size)
            last = offset
            offset = bytes.uint16(at: offset)
        }
        return true
    }

    var addsUp: Bool {
        var free = 0
        var place = start
        for part in parts.sorted() {
            let (first, next) = (part >> 20, part & 0xF_FFFF)
            guard first >= place, next <= end else { return false }
            free += first - place
            place = next
        }
        return free + end - place == fragments
    }
}
#endif
