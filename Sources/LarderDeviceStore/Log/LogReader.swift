import LarderCore
import LarderFiles

/// A reader that reads a log file in blocks and delivers one frame at a time.
struct LogReader {
    let file: any OpenFile
    let seed: UInt32
    /// The size of a block in bytes.
    var blockSize = 64 << 10

    /// Whether to stop at the first frame that was not copied by a compaction.
    private var copiedOnly = false

    init(file: any OpenFile, seed: UInt32) {
        self.file = file
        self.seed = seed
    }

    /// Calls `body` with each frame from `start` up to the first frame that was not copied by a compaction, and returns the position after
    /// the last copied frame.
    func copiedFrames(from start: LogPosition, to limit: Int, _ body: (FoundFrame) throws -> Void) throws -> LogPosition
    {
        var reader = self
        reader.copiedOnly = true
        return try reader.frames(from: start, to: limit, body)
    }

    /// Calls `body` with each frame from `start` up to the first frame that is invalid, has an unexpected sequence number, or ends after
    /// `limit`.
    ///
    /// `body` receives only frames whose entries are well-formed. `progress` receives the offset after each block. `rest` receives the
    /// remaining bytes of the last block and their offset.
    ///
    /// - Returns: The position after the last frame.
    func frames(
        from start: LogPosition,
        to limit: Int,
        progress tell: (Int) throws -> Void = { _ in },
        rest: (UnsafeRawBufferPointer, Int) -> Void = { _, _ in },
        _ body: (FoundFrame) throws -> Void
    ) throws -> LogPosition {
        var stop = start
        var size = min(blockSize, max(0, limit - start.offset))
        /// The number of bytes carried over from the end of the previous block.
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
            // If the file is shorter than expected, the log ends at the end of the file.
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
            // These bytes are the beginning of a frame that continues in the next block.
            kept = filled - (stop.offset - origin)
            if stop.offset > origin {
                block.copyMemory(from: bytes.slice(stop.offset - origin..<filled))
            }
        }
        return stop
    }
}
