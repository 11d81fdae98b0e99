import LarderFiles

/// A file to which a new generation of a log, or a backup, is being written.
///
/// The file begins with a snapshot of the entries, followed by the net changes of commits made in the meantime.
struct LogCopy: ~Copyable {
    let file: any OpenFile
    private(set) var header: LogHeader
    private var builder = LogFrameBuilder()
    /// Complete frames that have not been written to the file yet.
    private var output: [UInt8] = []
    /// The offset at which the current frame begins.
    private var frameOffset = LogFormat.headerSize
    private var sequence: UInt64 = 1

    /// The end of the reserved space.
    private var reservedEnd = 0

    /// The minimum number of bytes per write.
    static let outputSize = 64 << 10

    init(to file: any OpenFile, _ header: LogHeader) {
        self.file = file
        self.header = header
        builder.begin()
        // The buffer is filled in advance, so that it neither faults nor grows while a lock is held.
        output = [UInt8](repeating: 0, count: 2 * Self.outputSize)
        output.removeAll(keepingCapacity: true)
    }

    /// The position of the next frame.
    ///
    /// Valid only while no frame is being built.
    var end: LogPosition { LogPosition(offset: frameOffset, sequence: sequence) }

    /// The length of the file.
    var size: Int { max(reservedEnd, frameOffset) }

    /// Adds an entry from another frame to the snapshot, and returns its position in the copy.
    mutating func add(_ entry: UnsafeRawBufferPointer) -> Int {
        if builder.length + entry.count > LogFormat.snapshotFrameLength { endFrame() }
        return addChange(entry)
    }

    /// Ends the current frame.
    ///
    /// Frames with changes are also marked as copied, because other processes have already read these commits from the old file.
    mutating func endFrame() {
        guard !builder.isEmpty else { return }
        builder.seal(seed: header.seed, sequence: sequence, flags: LogFormat.FrameFlags.snapshot)
        output.append(contentsOf: builder.bytes)
        frameOffset += builder.length
        sequence += 1
        builder.begin()
    }

    /// Reserves memory for changes whose entries have a total size of `count` bytes.
    mutating func prepareChanges(_ count: Int) { builder.prepare(for: count) }

    /// Adds an entry from a later commit to the current frame, regardless of its length, and returns its position in the copy.
    mutating func addChange(_ entry: UnsafeRawBufferPointer) -> Int {
        let position = frameOffset + builder.length
        builder.append(entries: entry)
        return position
    }

    /// Writes the complete frames to the file if their total size exceeds `count` bytes.
    ///
    /// Do not call this method while holding a lock that readers wait for.
    mutating func writeOut(ifMoreThan count: Int = 0) throws {
        guard output.count > count else { return }
        try file.write(output, at: frameOffset - output.count)
        output.removeAll(keepingCapacity: true)
    }

    /// Writes the remaining frames to the file.
    ///
    /// If `tail` covers the frames, stores them to mapped memory, which avoids a system call.
    mutating func writeOut(through tail: inout MappedTail?) throws {
        let start = frameOffset - output.count
        guard tail?.holds(start, frameOffset) == true else { return try writeOut() }
        try output.withUnsafeBytes { try tail?.store($0, at: start) }
        output.removeAll(keepingCapacity: true)
    }

    /// Writes the remaining frames and the header, reserves space after the frames, and syncs the file.
    ///
    /// Frames that are added later follow the snapshot.
    mutating func settle(reserving live: Int) throws {
        endFrame()
        try writeOut()
        header.snapshotEnd = frameOffset
        header.syncedMark = frameOffset
        try file.write(header.block, at: 0)
        let end = LogFormat.reservation(end: frameOffset + LogFormat.reserve, live: live)
        try file.reserve(end)
        reservedEnd = end
        try file.synchronize(.everything)
    }

    /// Writes the remaining frames and syncs the file.
    mutating func synchronize() throws {
        try writeOut()
        try file.synchronize(.data)
    }
}
