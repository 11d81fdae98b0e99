import LarderCore
import LarderFiles

/// The end of a log, and what its next frame is built in: what writes need.
struct LogWriter: ~Copyable {
    private(set) var log: DeviceLog
    /// Where the next frame goes, and its number.
    var end: LogPosition
    /// How far room is known to be reserved.
    private(set) var reservedEnd: Int
    /// How far this process has reserved room itself: nothing beyond is mapped.
    private var allocatedEnd = 0
    /// Where commits are stored, if they are.
    private(set) var tail: MappedTail?
    private let isMapping: Bool
    /// Whether this commit is written by a system call whatever the store's way.
    var isWrittenByCall = false
    /// The synced mark that the header states.
    var mark: Int
    var builder = LogFrameBuilder()
    var plan = CommitPlan()

    /// The end of `log`, whose file is `size` long, written as `io` says.
    init(_ log: DeviceLog, at end: LogPosition, size: Int, mark: Int, io: DeviceStoreOptions.IO) {
        self.log = log
        self.end = end
        reservedEnd = size
        self.mark = mark
        isMapping = io == .mapped
    }

    /// Goes over to another file, in which room is known to be reserved up to `reserved`.
    mutating func begin(_ log: DeviceLog, at end: LogPosition, mark: Int, reserved: Int) {
        self.log = log
        self.end = end
        self.mark = mark
        reservedEnd = reserved
        allocatedEnd = 0
        tail = nil
    }

    /// Notes that this process has reserved the room of the file itself, and what of it is mapped.
    mutating func adopt(_ tail: MappedTail?) {
        allocatedEnd = reservedEnd
        self.tail = tail
    }

    /// Notes that room was reserved up to `end` at least, because commits lie there.
    mutating func noteReserved(_ end: Int) { reservedEnd = max(reservedEnd, end) }

    // MARK: The frame that was built

    /// Where the frame ends.
    @inline(__always)
    var frameEnd: Int { end.offset + builder.length }

    /// Whether the frame fits in what is reserved, with room for others behind it.
    @inline(__always)
    var hasRoom: Bool { frameEnd + LogFormat.reserve <= reservedEnd }

    /// Reserves room for the frame, and for others behind it, in a store whose entries take `live` bytes.
    mutating func reserve(live: Int) throws {
        let wanted = LogFormat.reservation(end: frameEnd + LogFormat.reserve, live: live)
        try log.file.reserve(wanted)
        reservedEnd = wanted
        allocatedEnd = wanted
    }

    /// Whether the frame may go to the last room, which on a full disk is for commits that make others needless.
    var fitsInReserve: Bool { builder.length <= LogFormat.longestFrameInReserve && frameEnd <= reservedEnd }

    /// Whether the frame can be stored to the mapped end of the file, which is mapped if need be.
    @inline(__always)
    mutating func isMapped() -> Bool {
        guard isMapping, !isWrittenByCall else { return false }
        if tail?.holds(end.offset, frameEnd) == true { return true }
        return builder.length <= LogFormat.longestMappedFrame && map()
    }

    @inline(never)
    private mutating func map() -> Bool {
        do {
            if allocatedEnd < reservedEnd {
                // What another process reserved, or a copy of the file made sparse, may have holes.
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
            // Then a system call does it, and says what is wrong if something is.
            return false
        }
    }

    /// Whether the pages that the frame goes to are present; of a frame that is mapped.
    @inline(__always)
    var isPresent: Bool { tail?.isPresent(frameEnd) != false }

    /// Makes them present; `unsynced` is what of the log is not on the disk.
    mutating func makePresent(unsynced: Int) throws {
        let (start, end) = (end.offset, frameEnd)
        try tail?.makePresent(end, behind: start, unsynced: unsynced)
    }

    /// Stores the frame to the mapped end of the file.
    @inline(__always)
    mutating func store() throws { try tail?.store(builder.bytes, at: end.offset) }

    /// Writes the frame by a system call.
    @inline(__always)
    func write() throws { try log.file.write(builder.bytes, at: end.offset) }

    /// Notes the frame as written.
    @inline(__always)
    mutating func advance() {
        end = LogPosition(offset: frameEnd, sequence: end.sequence + 1)
    }

    // MARK: The file

    /// How much of the log is not confirmed to be on the disk, if it is synced up to `synced`.
    func unsyncedSize(_ synced: StateWord) -> Int {
        end.offset - (synced.isOf(generation: log.generation) ? synced.end : mark)
    }

    /// Overwrites with zeros what is not zero in `range`, and waits for the disk if anything was.
    func erase(_ range: Range<Int>) throws {
        guard !range.isEmpty else { return }
        let bytes = try log.file.read(at: range.lowerBound, count: range.count)
        let last = bytes.withUnsafeBytes { $0.lastNonZero(in: 0..<$0.count) }
        guard let last else { return }
        try log.file.write([UInt8](repeating: 0, count: last + 1), at: range.lowerBound)
        try log.file.synchronize(.data)
    }

    /// Throws if the frame would be longer than any may be with `size` bytes more, before memory is taken for them.
    @inline(__always)
    func checkLength(adding size: Int = 0, _ path: @autoclosure () -> String) throws {
        guard builder.length + size <= LogFormat.maximumFrameLength else { throw StoreError.longCommit(path()) }
    }
}
