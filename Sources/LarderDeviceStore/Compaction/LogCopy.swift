import LarderFiles

/// A new generation of a log, or a backup, being written: entries packed into snapshot frames, then what commits came to that were
/// made meanwhile.
struct LogCopy: ~Copyable {
    let file: any OpenFile
    private(set) var header: LogHeader
    private var builder = LogFrameBuilder()
    /// Whole frames that are not in the file yet.
    private var output: [UInt8] = []
    /// Where the frame that is being built will begin.
    private var frameOffset = LogFormat.headerSize
    private var sequence: UInt64 = 1

    /// How far room is reserved.
    private var reservedEnd = 0

    /// How much is handed to the file at once, at least.
    static let outputSize = 64 << 10

    init(to file: any OpenFile, _ header: LogHeader) {
        self.file = file
        self.header = header
        builder.begin()
        // Used once, so that it is not met for the first time, nor grows, under a lock that others wait for.
        output = [UInt8](repeating: 0, count: 2 * Self.outputSize)
        output.removeAll(keepingCapacity: true)
    }

    /// Where the next frame goes, when none is being built.
    var end: LogPosition { LogPosition(offset: frameOffset, sequence: sequence) }

    /// How long the file is.
    var size: Int { max(reservedEnd, frameOffset) }

    /// Adds an entry as it stands in another frame to the snapshot, and says where it will lie.
    mutating func add(_ entry: UnsafeRawBufferPointer) -> Int {
        if builder.length + entry.count > LogFormat.snapshotFrameLength { endFrame() }
        return addChange(entry)
    }

    /// Ends the frame that is being built.
    ///
    /// Of commits it counts as a copy too: whoever follows knows them from the old file.
    mutating func endFrame() {
        guard !builder.isEmpty else { return }
        builder.seal(seed: header.seed, sequence: sequence, flags: LogFormat.FrameFlags.snapshot)
        output.append(contentsOf: builder.bytes)
        frameOffset += builder.length
        sequence += 1
        builder.begin()
    }

    /// Makes room for commits with entries of that many bytes.
    mutating func prepareChanges(_ count: Int) { builder.prepare(for: count) }

    /// Adds an entry of commits to one frame, however long that becomes, and says where it will lie.
    mutating func addChange(_ entry: UnsafeRawBufferPointer) -> Int {
        let position = frameOffset + builder.length
        builder.append(entries: entry)
        return position
    }

    /// Hands all ended frames to the file, if they are more than so many bytes; not to be called under a lock that readers wait for.
    mutating func writeOut(ifMoreThan count: Int = 0) throws {
        guard output.count > count else { return }
        try file.write(output, at: frameOffset - output.count)
        output.removeAll(keepingCapacity: true)
    }

    /// Hands the rest to the file, through `tail` where that holds it: faster than a system call.
    mutating func writeOut(through tail: inout MappedTail?) throws {
        let start = frameOffset - output.count
        guard tail?.holds(start, frameOffset) == true else { return try writeOut() }
        try output.withUnsafeBytes { try tail?.store($0, at: start) }
        output.removeAll(keepingCapacity: true)
    }

    /// Writes what there is and the header that says so, reserves room behind it, and waits for the disk.
    ///
    /// What comes later are frames behind the snapshot.
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

    /// Writes what there is and waits for the disk.
    mutating func synchronize() throws {
        try writeOut()
        try file.synchronize(.data)
    }
}
