import LarderCore
import LarderFiles

/// Reads a log frame by frame, a block at a time.
struct LogReader {
    let file: any OpenFile
    let seed: UInt32
    /// What is read at once: less than what `malloc` takes from the system anew each time.
    var blockSize = 64 << 10

    /// Whether reading stops at the first frame that compaction did not copy.
    private var copiedOnly = false

    init(file: any OpenFile, seed: UInt32) {
        self.file = file
        self.seed = seed
    }

    /// Calls `body` with every frame from `start` on that compaction copied, up to the first that it did not.
    func copiedFrames(from start: LogPosition, to limit: Int, _ body: (FoundFrame) throws -> Void) throws -> LogPosition
    {
        var reader = self
        reader.copiedOnly = true
        return try reader.frames(from: start, to: limit, body)
    }

    /// Calls `body` with every frame from `start` on, the first of which has the number `sequence`, up to the first that is not
    /// valid or ends behind `limit`.
    ///
    /// A frame's entries are checked to be well-formed before `body` sees it. `progress` gets the offset after each block, `rest`
    /// what else was read with the last one, and its offset.
    func frames(
        from start: LogPosition,
        to limit: Int,
        progress tell: (Int) throws -> Void = { _ in },
        rest: (UnsafeRawBufferPointer, Int) -> Void = { _, _ in },
        _ body: (FoundFrame) throws -> Void
    ) throws -> LogPosition {
        var stop = start
        var size = min(blockSize, max(0, limit - start.offset))
        /// How many bytes of the next block stand at its beginning already.
        var kept = 0
        var block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(8, size), alignment: 8)
        defer { block.deallocate() }
        while stop.offset < limit {
            var progress = false
            var needed = 0
            let origin = stop.offset
            let count = min(size, limit - origin)
            if count > block.count {
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
                larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<kept]))
                block.deallocate()
                block = larger
            }
            let unread = UnsafeMutableRawBufferPointer(rebasing: block[kept..<count])
            let filled = try kept + file.read(into: unread, at: origin + kept)
            let bytes = UnsafeRawBufferPointer(rebasing: block[..<filled])
            // A file that is shorter than it was said to be has nothing behind its end.
            let end = filled < count ? filled : limit - origin
            var scanner = FrameScanner(bytes, at: origin, seed: seed, from: stop, limit: end, copiedOnly: copiedOnly)
            scanning: while true {
                switch scanner.next() {
                case .frame(let found):
                    try body(found)
                    stop = found.end
                    progress = true
                case .needs(let count):
                    needed = count
                    break scanning
                case .nothing:
                    break scanning
                }
            }
            try tell(stop.offset)
            guard needed > 0, progress || needed > count else {
                rest(bytes.slice(min(filled, stop.offset - origin)..<filled), stop.offset)
                break
            }
            size = max(blockSize, needed)
            // The beginning of a frame that this block cut off.
            kept = filled - (stop.offset - origin)
            if stop.offset > origin {
                block.copyMemory(from: bytes.slice(stop.offset - origin..<filled))
            }
        }
        return stop
    }
}
