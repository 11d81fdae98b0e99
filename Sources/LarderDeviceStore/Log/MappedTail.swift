import LarderFiles

/// The memory-mapped end of a log, to which commits are written by copying frames.
///
/// Frames are copied only to space that is already reserved on disk, so that a full disk is detected before the copy. The mapping extends
/// beyond the reserved space to avoid remapping.
struct MappedTail: Sendable {
    private let region: any MappedRegion
    /// The mapped memory, or `nil` if the memory is not directly accessible.
    private let memory: MappedMemory?
    /// The range of the file that is both mapped and reserved.
    private var range: Range<Int>

    /// The size of a mapping in bytes, which includes space that is not reserved yet.
    private static let mappedAtOnce = 4 << 20

    /// Maps `file`, beginning with the page that contains `start`.
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

    /// Returns whether a frame from `start` to `end` is in the range that is mapped and reserved.
    func holds(_ start: Int, _ end: Int) -> Bool { start >= range.lowerBound && end <= range.upperBound }

    /// Stores a frame at `offset` in the file.
    ///
    /// The frame must be in the mapped and reserved range.
    func store(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        if memory?.store(frame, at: offset - range.lowerBound) == true { return }
        try storeThroughRegion(frame, at: offset)
    }

    private func storeThroughRegion(_ frame: UnsafeRawBufferPointer, at offset: Int) throws {
        try region.store(frame, at: offset - range.lowerBound)
    }
}
