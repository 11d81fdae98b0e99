import LarderFiles

/// The memory-mapped end of a log, to which commits are written by copying frames.
///
/// Frames are copied only to space that is already reserved on disk, so that a full disk is detected before the copy. The mapping extends
/// beyond the reserved space to avoid remapping.
struct MappedTail: Sendable {
    private let region: any MappedRegion
    /// The mapped memory, or `nil` if the memory is not directly accessible.
    private let memory: MappedMemory?
    /// The byte range of the file that is memory-mapped and for which disk space is reserved.
    private var range: Range<Int>

    /// The size of a mapping in bytes, which includes space that is not reserved yet.
    private static let mappedAtOnce = 4 << 20

    /// Maps `file` into memory, beginning with the page that contains the offset `start`.
    ///
    /// Space in the file must be reserved up to the offset `end`.
    init(of file: any OpenFile, from start: Int, reservedEnd end: Int) throws {
        let first = start & ~(MemoryPage.size - 1)
        range = first..<first
        region = try file.map(offset: first, count: Self.mappedAtOnce, writable: true)
        memory = region.plainMemory
        extend(toReservedEnd: end)
    }

    /// Records that space in the file is now reserved up to the offset `end`.
    mutating func extend(toReservedEnd end: Int) {
        let mappedEnd = range.lowerBound + Self.mappedAtOnce
        range = range.lowerBound..<max(range.upperBound, min(end, mappedEnd))
    }

    /// Returns whether a frame from `start` to `end` lies in the mapped and reserved range of the file.
    func holds(_ start: Int, _ end: Int) -> Bool { start >= range.lowerBound && end <= range.upperBound }

    /// Copies a frame to `offset` in the memory-mapped file.
    ///
    /// The frame must fit in the mapped and reserved range.
    func store(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        if memory?.store(frame, at: offset - range.lowerBound) == true { return }
        try storeThroughRegion(frame, at: offset)
    }

    private func storeThroughRegion(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        try region.store(frame, at: offset - range.lowerBound)
    }
}
