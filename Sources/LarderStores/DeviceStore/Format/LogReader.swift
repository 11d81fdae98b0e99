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

    /// A frame in memory.
    struct Found {
        /// The block it lies in.
        let bytes: UnsafeRawBufferPointer
        /// Where in the block.
        let frame: LogFrame
        /// Where in the file the block begins.
        let origin: Int

        /// Calls `body` with every entry and its offset in the file.
        func forEachEntry(_ body: (LogEntry, _ position: Int) throws -> Void) rethrows {
            var next = frame.entries.lowerBound
            while let entry = LogEntry.read(bytes, at: next, before: frame.entries.upperBound) {
                try body(entry, origin + entry.bytes.lowerBound)
                next = entry.bytes.upperBound
            }
        }

        /// Whether the entries fill the frame, under keys that a store can have.
        var isWellFormed: Bool {
            var next = frame.entries.lowerBound
            while next < frame.entries.upperBound {
                guard let entry = LogEntry.read(bytes, at: next, before: frame.entries.upperBound),
                    entry.key.count <= StoreKey.maximumLength, bytes.slice(entry.key).isText
                else { return false }
                next = entry.bytes.upperBound
            }
            return true
        }
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
        var block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(8, size), alignment: 8)
        defer { block.deallocate() }
        while stop.offset < limit {
            var progress = false
            var needed = 0
            let origin = stop.offset
            let count = min(size, limit - origin)
            if count > block.count {
                block.deallocate()
                block = .allocate(byteCount: count, alignment: 8)
            }
            let filled = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: block[..<count]), at: origin)
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
                    let found = Found(bytes: bytes, frame: frame, origin: origin)
                    guard found.isWellFormed else { break scanning }
                    try body(found)
                    stop = Stop(offset: origin + frame.end, sequence: expected + 1)
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
        }
        return stop
    }
}
