/// A valid frame and the bytes it lies in.
struct FoundFrame {
    /// A part of the log, or all of it.
    let bytes: UnsafeRawBufferPointer
    /// Where in `bytes`.
    let frame: LogFrame
    /// Where in the file `bytes` begin.
    let origin: Int
    /// How many entries it has, once they are known to be well-formed.
    private(set) var entryCount = 0

    /// A frame of which the entries are not looked at.
    init(bytes: UnsafeRawBufferPointer, frame: LogFrame, origin: Int) {
        self.bytes = bytes
        self.frame = frame
        self.origin = origin
    }

    /// A frame with its number of entries; `nil` if they are not well-formed.
    @inline(__always)
    init?(checking bytes: UnsafeRawBufferPointer, frame: LogFrame, origin: Int) {
        self.init(bytes: bytes, frame: frame, origin: origin)
        guard let count = wellFormedCount else { return nil }
        entryCount = count
    }

    /// Where it lies in the file.
    var range: Range<Int> { origin + frame.offset..<origin + frame.end }

    /// Where the next frame begins.
    var end: LogPosition { LogPosition(offset: origin + frame.end, sequence: frame.sequence + 1) }

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
    private var wellFormedCount: Int? {
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
