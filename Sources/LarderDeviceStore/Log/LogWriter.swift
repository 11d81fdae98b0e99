import LarderCore
import LarderFiles

/// The state of a log's writer, including the end of the log and the buffers for the next frame.
struct LogWriter: ~Copyable {
    private(set) var log: DeviceLog
    /// The position of the next frame in the log.
    var end: LogPosition
    /// The file offset up to which space is known to be reserved.
    private(set) var reservedEnd: Int
    /// The file offset up to which this process has reserved space.
    ///
    /// Only space that this process has reserved is memory-mapped.
    private var allocatedEnd = 0
    /// The mapping of the end of the file, or `nil` if the end is not memory-mapped.
    private(set) var tail: MappedTail?
    private let isMapping: Bool
    /// Whether to write the next commit with a system call, even if the end of the file is memory-mapped.
    var isWrittenByCall = false
    /// The file offset up to which the log is synced, as recorded in the log's header.
    var mark: Int
    var builder = LogFrameBuilder()
    var plan = CommitPlan()

    /// Creates a writer that appends to `log` at `end`, given the size of the log file in bytes.
    ///
    /// `io` determines whether frames may be written to mapped memory.
    init(_ log: DeviceLog, at end: LogPosition, size: Int, mark: Int, io: DeviceStoreOptions.IO) {
        self.log = log
        self.end = end
        reservedEnd = size
        self.mark = mark
        isMapping = io == .mapped
    }

    /// Switches to another log file, in which space up to the offset `reserved` is preallocated.
    mutating func begin(_ log: DeviceLog, at end: LogPosition, mark: Int, reserved: Int) {
        self.log = log
        self.end = end
        self.mark = mark
        reservedEnd = reserved
        allocatedEnd = 0
        tail = nil
    }

    /// Starts using `tail`, a mapping of space that this process has reserved in the current file.
    mutating func adopt(_ tail: MappedTail?) {
        allocatedEnd = reservedEnd
        self.tail = tail
    }

    /// Records that file space up to the offset `end` is reserved.
    mutating func noteReserved(_ end: Int) { reservedEnd = max(reservedEnd, end) }

    // MARK: The frame that was built

    /// The file offset at which the frame in the buffer will end.
    var frameEnd: Int { end.offset + builder.length }

    /// Whether the frame fits in the preallocated space without using the reserve for a full disk.
    var hasRoom: Bool { frameEnd + LogFormat.reserve <= reservedEnd }

    /// Reserves file space for the frame in the buffer and for later frames.
    ///
    /// The amount depends on `live`, the total size of the current entries in bytes.
    mutating func reserve(live: Int) throws {
        let wanted = LogFormat.reservation(end: frameEnd + LogFormat.reserve, live: live)
        try log.file.reserve(wanted)
        reservedEnd = wanted
        allocatedEnd = wanted
    }

    /// Whether the frame is short enough to use the reserve for a full disk, and fits in the remaining preallocated space.
    var fitsInReserve: Bool { builder.length <= LogFormat.longestFrameInReserve && frameEnd <= reservedEnd }

    /// Returns whether the frame can be written to the memory-mapped end of the file.
    ///
    /// Maps the end of the file if necessary.
    mutating func isMapped() -> Bool {
        guard isMapping, !isWrittenByCall, builder.length <= LogFormat.longestMappedFrame else { return false }
        return tail?.holds(end.offset, frameEnd) == true || map()
    }

    private mutating func map() -> Bool {
        do {
            if allocatedEnd < reservedEnd {
                // Space that another process reserved may have holes, as may a sparse copy of the file.
                try log.file.reserve(reservedEnd)
                allocatedEnd = reservedEnd
            }
            tail?.extend(toReservedEnd: allocatedEnd)
            if tail?.holds(end.offset, frameEnd) == true { return true }
            tail = nil
            let tail = try MappedTail(of: log.file, from: end.offset, reservedEnd: allocatedEnd)
            guard tail.holds(end.offset, frameEnd) else { return false }
            self.tail = tail
            return true
        } catch {
            // The writer falls back to a system call, which reports any error.
            return false
        }
    }

    /// Writes the frame to the memory-mapped end of the file, or with a system call if the end can't be mapped.
    mutating func append() throws {
        if isMapped() {
            try tail?.store(builder.bytes, at: end.offset)
        } else {
            try log.file.write(builder.bytes, at: end.offset)
        }
    }

    /// Advances the end of the log past the frame that was written.
    mutating func advance() {
        end = LogPosition(offset: frameEnd, sequence: end.sequence + 1)
    }

    // MARK: The file

    /// Overwrites the bytes in `range` with zeros, and syncs the file if any of them were nonzero.
    func erase(_ range: Range<Int>) throws {
        guard !range.isEmpty else { return }
        let bytes = try log.file.read(at: range.lowerBound, count: range.count)
        let last = bytes.withUnsafeBytes { $0.lastNonZero(in: 0..<$0.count) }
        guard let last else { return }
        try log.file.write([UInt8](repeating: 0, count: last + 1), at: range.lowerBound)
        try log.file.synchronize(.data)
    }

    /// Throws an error if adding `size` bytes would make the frame exceed the maximum length.
    ///
    /// Call this method before allocating memory for these bytes.
    func checkLength(adding size: Int = 0, _ path: @autoclosure () -> String) throws {
        guard builder.length + size <= LogFormat.maximumFrameLength else { throw StoreError.longCommit(path()) }
    }
}
