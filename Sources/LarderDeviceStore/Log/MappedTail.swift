import LarderFiles

/// The reserved end of a log, mapped, so that a commit is a store to memory.
///
/// Never used beyond what is reserved on the disk, so that a full disk is met before a store and not by it: there lies address
/// space for what will be reserved later, so that it need not be mapped anew each time. Pages are made present some at a time
/// ahead of the commits that fill them.
struct MappedTail: Sendable {
    private let file: any OpenFile
    private let region: any MappedRegion
    /// Its memory, when that is all that is needed: the region is not asked for each commit, for that would count its references.
    private let memory: MappedMemory?
    /// What of the file is mapped and reserved.
    private var range: Range<Int>
    private var populatedEnd: Int

    /// How much is made present at first: what a few commits need.
    private static let leastPopulated = 32 << 10
    /// How much is made present at once where many commits come: no more than the one that waits for it can wait for.
    private static let mostPopulated = 64 << 10
    /// The same where none waits for it.
    private static let mostPrepared = 128 << 10
    /// How much is mapped at once, reserved or not.
    private static let mappedAtOnce = 4 << 20

    /// Maps the file from the page of `start` on; it is reserved up to `end`.
    init(of file: any OpenFile, from start: Int, reservedEnd end: Int) throws {
        let first = start & ~(MemoryPage.size - 1)
        range = first..<first
        self.file = file
        region = try file.map(offset: first, count: Self.mappedAtOnce, writable: true)
        memory = region.plainMemory
        populatedEnd = first
        extend(toReservedEnd: end)
    }

    /// Notes that the file is reserved up to `end`.
    mutating func extend(toReservedEnd end: Int) {
        let mappedEnd = range.lowerBound + Self.mappedAtOnce
        range = range.lowerBound..<max(range.upperBound, min(end, mappedEnd))
    }

    /// Whether a frame from `start` to `end` lies in what is mapped.
    @inline(__always)
    func holds(_ start: Int, _ end: Int) -> Bool { start >= range.lowerBound && end <= range.upperBound }

    /// Whether everything up to `end` is present.
    @inline(__always)
    func isPresent(_ end: Int) -> Bool { end <= populatedEnd }

    /// Makes present what the first commits behind `offset`, where the log ends, need, when most of it is not.
    ///
    /// `unsynced` is what of the log is not on the disk.
    mutating func prepare(behind offset: Int, unsynced: Int) throws {
        let end = min(range.upperBound, offset + Self.mostPrepared)
        if end - populatedEnd > Self.leastPopulated / 2 { try populate(end, behind: offset, unsynced: unsynced) }
    }

    /// Makes present what a commit from `offset`, where the log ends, to `end` needs, and some behind it: the more, the more is
    /// written between two syncs.
    mutating func makePresent(_ end: Int, behind offset: Int, unsynced: Int) throws {
        let more = min(max(Self.leastPopulated, unsynced), Self.mostPopulated)
        // Up to a round place: the system keeps more in one piece there.
        let next = max(end.rounded(up: Self.leastPopulated), (populatedEnd + more) & ~(Self.leastPopulated - 1))
        try populate(min(range.upperBound, next), behind: offset, unsynced: unsynced)
    }

    /// Stores a frame, which lies in what is mapped, at `offset` of the file, where the log ends.
    @inline(__always)
    func store(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        if memory?.store(frame, at: offset - range.lowerBound) == true { return }
        try storeThroughRegion(frame, at: offset)
    }

    /// Or once more, for the error.
    @inline(never)
    private func storeThroughRegion(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        try region.store(frame, at: offset - range.lowerBound)
    }

    private mutating func populate(_ end: Int, behind offset: Int, unsynced: Int) throws {
        guard end > populatedEnd else { return }
        if unsynced >= LogFormat.unsyncedForZeros { blank(populatedEnd..<end, behind: offset) }
        try region.populate(populatedEnd - range.lowerBound..<end - range.lowerBound)
        populatedEnd = end
    }

    /// Has the system make pages of zeros several at a time, which takes it half as long as finding out, page by page, that they were
    /// reserved and never written.
    ///
    /// Such pages are one piece to the system, of which it writes all when part of it has changed: to be used only where more
    /// than that is written between two syncs. Only pages wholly behind `offset`, where the log ends: before it another process may have
    /// written since.
    private func blank(_ pages: Range<Int>, behind offset: Int) {
        var start = max(pages.lowerBound, offset.rounded(up: MemoryPage.size))
        while start < pages.upperBound {
            let end = min(pages.upperBound, (start + 1).rounded(up: Self.zeros.count))
            do {
                try Self.zeros.withUnsafeBytes { try file.write($0.slice(0..<end - start), at: start) }
            } catch {
                // Then they are made present as they are, or the reason why not is met there.
                return
            }
            start = end
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 16 << 10)
}
