/// A valid log frame and the buffer that contains it.
struct FoundFrame {
    /// The buffer that contains the frame.
    let bytes: UnsafeRawBufferPointer
    /// The frame's location in `bytes`.
    let frame: LogFrame
    /// The offset of `bytes` in the file.
    let origin: Int
    /// The number of entries in the frame, or 0 until the entries have been checked.
    private(set) var entryCount = 0

    /// Creates a frame without checking its entries.
    init(bytes: UnsafeRawBufferPointer, frame: LogFrame, origin: Int) {
        self.bytes = bytes
        self.frame = frame
        self.origin = origin
    }

    /// Creates a frame and counts its entries, or returns `nil` if the entries are malformed.
    @inline(__always)
    init?(checking bytes: UnsafeRawBufferPointer, frame: LogFrame, origin: Int) {
        self.init(bytes: bytes, frame: frame, origin: origin)
        guard let count = wellFormedCount else { return nil }
        entryCount = count
    }

    /// The byte range of the frame in the file.
    var range: Range<Int> { origin + frame.offset..<origin + frame.end }

    /// The position of the next frame in the log.
    var end: LogPosition { LogPosition(offset: origin + frame.end, sequence: frame.sequence + 1) }

    /// Calls `body` with every entry of the frame and the entry's offset in the file.
    func forEachEntry(_ body: (LogEntry, _ position: Int) throws -> Void) rethrows {
        var next = frame.entries.lowerBound
        while let entry = LogEntry.read(bytes, at: next, before: frame.entries.upperBound) {
            try body(entry, origin + entry.bytes.lowerBound)
            next = entry.bytes.upperBound
        }
    }

    /// Whether the entries fill the frame exactly and all keys are valid.
    var isWellFormed: Bool { wellFormedCount != nil }

    /// The number of entries in the frame, or `nil` if an entry is malformed.
    private var wellFormedCount: Int? {
        var count = 0
        var next = frame.entries.lowerBound
        let end = frame.entries.upperBound
        while next < end {
            if let entry = LogEntry.readShort(bytes, at: next, before: end) {
                // A short key cannot exceed the maximum length.
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
