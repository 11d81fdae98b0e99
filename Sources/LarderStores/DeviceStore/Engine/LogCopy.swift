import LarderFiles

/// A new generation of a log, or a backup, being written: entries packed into snapshot frames.
struct LogCopy: ~Copyable {
    let file: any OpenFile
    var header: LogHeader
    private var builder = LogFrameBuilder()
    /// Whole frames that are not in the file yet.
    private var output: [UInt8] = []
    /// Where the frame that is being built will begin.
    private var frameOffset = LogFormat.headerSize
    private var sequence: UInt64 = 1

    private static let outputSize = 256 << 10

    init(to file: any OpenFile, _ header: LogHeader) {
        self.file = file
        self.header = header
        builder.begin()
    }

    /// Where the next frame goes, when none is being built.
    var end: LogReader.Stop { LogReader.Stop(offset: frameOffset, sequence: sequence) }

    /// Adds an entry as it stands in another frame, and says where it will lie.
    mutating func add(_ entry: UnsafeRawBufferPointer) throws -> Int {
        if builder.length + entry.count > LogFormat.snapshotFrameLength { try endFrame() }
        let position = frameOffset + builder.length
        builder.append(entries: entry)
        return position
    }

    /// Ends the frame that is being built.
    mutating func endFrame() throws {
        guard !builder.isEmpty else { return }
        builder.seal(seed: header.seed, sequence: sequence, flags: LogFormat.FrameFlags.snapshot)
        output.append(contentsOf: builder.bytes)
        frameOffset += builder.length
        sequence += 1
        builder.begin()
        if output.count >= Self.outputSize { try writeOut() }
    }

    /// Hands all ended frames to the file.
    mutating func writeOut() throws {
        guard !output.isEmpty else { return }
        try file.write(output, at: frameOffset - output.count)
        output.removeAll(keepingCapacity: true)
    }

    /// Writes what is left and the header, reserves room behind it, and waits for the disk.
    mutating func finish(reserving live: Int) throws {
        try endFrame()
        try writeOut()
        header.snapshotEnd = frameOffset
        header.syncedMark = frameOffset
        try file.write(header.block, at: 0)
        try file.reserve(LogFormat.reservation(end: frameOffset + LogFormat.reserve, live: live))
        try file.synchronize(.everything)
    }
}
