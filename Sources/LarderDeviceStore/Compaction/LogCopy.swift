import LarderFiles

/// A copy of a log that a compaction or a backup is writing to a file.
///
/// The copy begins with a snapshot of the entries, followed by the net changes of commits made while the snapshot was written.
struct LogCopy: ~Copyable {
    let file: any OpenFile
    private(set) var header: LogHeader
    private var builder = LogFrameBuilder()
    /// Complete frames that have not been written to the file yet.
    private var output: [UInt8] = []
    /// The file offset at which the current frame begins.
    private var frameOffset = LogFormat.headerSize
    private var sequence: UInt64 = 1

    /// The file offset at which the reserved space ends, or 0 if no space has been reserved.
    private var reservedEnd = 0

    /// The number of buffered bytes above which frames are written to the file.
    static let outputSize = 64 << 10

    init(to file: any OpenFile, _ header: LogHeader) {
        self.file = file
        self.header = header
        builder.begin()
        // The buffer is filled in advance, so that appending causes no page faults or allocations while a lock is held.
        output = [UInt8](repeating: 0, count: 2 * Self.outputSize)
        output.removeAll(keepingCapacity: true)
    }

    /// The position of the next frame in the copy.
    ///
    /// The position is valid only while no frame is being built.
    var end: LogPosition { LogPosition(offset: frameOffset, sequence: sequence) }

    /// The length of the file in bytes, including reserved space.
    var size: Int { max(reservedEnd, frameOffset) }

    /// Adds an encoded entry to the snapshot, and returns the entry's offset in the copy.
    mutating func add(_ entry: UnsafeRawBufferPointer) -> Int {
        if builder.length + entry.count > LogFormat.snapshotFrameLength { endFrame() }
        return addChange(entry)
    }

    /// Seals the current frame unless it is empty.
    ///
    /// A frame that contains changes is marked as copied, because other processes have read the changes from the old file.
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

    /// Adds an encoded entry from a commit made during the copy to the current frame, and returns the entry's offset in the copy.
    ///
    /// The frame may exceed the usual frame length.
    mutating func addChange(_ entry: UnsafeRawBufferPointer) -> Int {
        let position = frameOffset + builder.length
        builder.append(entries: entry)
        return position
    }

    /// Writes the complete frames to the file if their total size exceeds `count` bytes.
    ///
    /// Do not call this method while holding a lock that blocks readers.
    mutating func writeOut(ifMoreThan count: Int = 0) throws {
        guard output.count > count else { return }
        try file.write(output, at: frameOffset - output.count)
        output.removeAll(keepingCapacity: true)
    }

    /// Writes the buffered frames to the file.
    ///
    /// If `tail` covers the frames, they are copied to mapped memory, which avoids a system call.
    mutating func writeOut(through tail: inout MappedTail?) throws {
        let start = frameOffset - output.count
        guard tail?.holds(start, frameOffset) == true else { return try writeOut() }
        try output.withUnsafeBytes { try tail?.store($0, at: start) }
        output.removeAll(keepingCapacity: true)
    }

    /// Completes the snapshot: writes the buffered frames and the header, reserves space after the frames, and syncs the file.
    ///
    /// Later frames are not part of the snapshot.
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

    /// Writes the buffered frames and syncs the file.
    mutating func synchronize() throws {
        try writeOut()
        try file.synchronize(.data)
    }
}
