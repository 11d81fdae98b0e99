import LarderCore
import LarderFiles

/// Reads a log frame by frame, a block at a time.
struct LogReader {
    let file: any OpenFile
    let seed: UInt32
    /// What is read at once: less than what `malloc` takes from the system anew each time.
    var blockSize = 64 << 10

    /// Where reading stopped, and the sequence number that was expected there.
    struct Stop: Hashable {
        var offset: Int
        var sequence: UInt64
    }

    /// Whether reading stops at the first frame that compaction did not copy.
    private var stopsAtCommit = false

    init(file: any OpenFile, seed: UInt32) {
        self.file = file
        self.seed = seed
    }

    /// A frame in memory.
    struct Found {
        /// The block it lies in.
        let bytes: UnsafeRawBufferPointer
        /// Where in the block.
        let frame: LogFrame
        /// Where in the file the block begins.
        let origin: Int
        /// How many entries it has, once they are known to be well-formed.
        fileprivate(set) var entryCount = 0

        init(bytes: UnsafeRawBufferPointer, frame: LogFrame, origin: Int) {
            self.bytes = bytes
            self.frame = frame
            self.origin = origin
        }

        /// Where it lies in the file.
        var range: Range<Int> { origin + frame.offset..<origin + frame.end }

        /// Where reading goes on behind it.
        var end: Stop { Stop(offset: origin + frame.end, sequence: frame.sequence + 1) }

        /// Calls `body` with every entry and its offset in the file.
        func forEachEntry(_ body: (LogEntry, _ position: Int) throws -> Void) rethrows {
            var next = frame.entries.lowerBound
            while let entry = LogEntry.read(bytes, at: next, before: frame.entries.upperBound) {
                try body(entry, origin + entry.bytes.lowerBound)
                next = entry.bytes.upperBound
            }
        }

        /// Whether the entries fill the frame, under keys that a store can have.
        var isWellFormed: Bool { wellFormedCount != nil }

        /// How many entries there are, if they are well-formed.
        fileprivate var wellFormedCount: Int? {
            var count = 0
            var next = frame.entries.lowerBound
            let end = frame.entries.upperBound
            while next < end {
                if let entry = LogEntry.readShort(bytes, at: next, before: end) {
                    // No key that short is too long.
                    guard bytes.slice(entry.key..<entry.value).isText else { return nil }
                    next = entry.end
                } else {
                    guard let entry = LogEntry.read(bytes, at: next, before: end),
                        entry.key.count <= LogFormat.maximumKeyLength, bytes.slice(entry.key).isText
                    else { return nil }
                    next = entry.bytes.upperBound
                }
                count += 1
            }
            return count
        }
    }

    /// Calls `body` with every frame from `start` on that compaction copied, up to the first that it did not.
    func copiedFrames(from start: Stop, to limit: Int, _ body: (Found) throws -> Void) throws -> Stop {
        var reader = self
        reader.stopsAtCommit = true
        return try reader.frames(from: start, to: limit, body)
    }

    /// Calls `body` with every frame from `start` on, the first of which has the number `sequence`, up to the first that is not
    /// valid or ends behind `limit`.
    ///
    /// A frame's entries are checked to be well-formed before `body` sees it. `progress` is told the offset after each block, `rest`
    /// what else was read with the last one, and its offset.
    func frames(
        from start: Stop,
        to limit: Int,
        progress tell: (Int) throws -> Void = { _ in },
        rest: (UnsafeRawBufferPointer, Int) -> Void = { _, _ in },
        _ body: (Found) throws -> Void
    ) throws -> Stop {
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
            scanning: while true {
                let expected = stop.sequence
                switch LogFrame.find(
                    in: bytes,
                    at: stop.offset - origin,
                    seed: seed,
                    sequences: expected...expected,
                    limit: end
                )
                {
                case .frame(let frame):
                    if stopsAtCommit, frame.flags & LogFormat.FrameFlags.snapshot == 0 { break scanning }
                    var found = Found(bytes: bytes, frame: frame, origin: origin)
                    guard let entryCount = found.wellFormedCount else { break scanning }
                    found.entryCount = entryCount
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
