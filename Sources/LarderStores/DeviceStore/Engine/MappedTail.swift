import LarderFiles

/// The reserved end of a log, mapped, so that a commit is a store to memory.
///
/// Never more than what is reserved on the disk, so that a full disk is met before a store and not by it. Pages are made
/// present some at a time ahead of the commits that fill them.
struct MappedTail: Sendable {
    private let region: any MappedRegion
    /// Where it is, when that is all that is needed; valid as long as `region`, which is not asked for each commit: that would
    /// count its references.
    nonisolated(unsafe) private let address: UnsafeMutableRawPointer?
    /// What of the file is mapped.
    private let range: Range<Int>
    private var populatedEnd: Int

    /// How much is made present at once: as little as costs no commit more than a few microseconds.
    private static let populatedAtOnce = 32 << 10
    /// The most that is mapped at once.
    private static let largestRange = 4 << 20
    /// Longer frames are written by a system call.
    static let longestFrame = 64 << 10

    /// Maps what is reserved from the page of `start` to `end`.
    init(of file: any OpenFile, from start: Int, reservedEnd end: Int) throws {
        let first = start & ~(MemoryPage.size - 1)
        range = first..<min(end, first + Self.largestRange)
        region = try file.map(offset: first, count: range.count, writable: true)
        address = region.plainAddress
        populatedEnd = first
    }

    /// Whether a frame from `start` to `end` lies in what is mapped.
    @inline(__always)
    func holds(_ start: Int, _ end: Int) -> Bool { start >= range.lowerBound && end <= range.upperBound }

    /// Stores a frame, which lies in what is mapped, at `offset` of the file.
    @inline(__always)
    mutating func store(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        if offset + frame.count > populatedEnd { try populate(offset + frame.count) }
        if let address, MappedMemory.store(frame, to: address + (offset - range.lowerBound)) { return }
        try storeThroughRegion(frame, at: offset)
    }

    /// Or once more, for the error.
    @inline(never)
    private func storeThroughRegion(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        try region.store(frame, at: offset - range.lowerBound)
    }

    @inline(never)
    private mutating func populate(_ end: Int) throws {
        let next = min(range.upperBound, max(end, populatedEnd + Self.populatedAtOnce))
        try region.populate(populatedEnd - range.lowerBound..<next - range.lowerBound)
        populatedEnd = next
    }
}
