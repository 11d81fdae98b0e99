/// A position between two frames in a log.
struct LogPosition: Hashable {
    /// The offset of the next frame in the file.
    var offset: Int
    /// The sequence number of the next frame.
    var sequence: UInt64

    /// The position of the first frame of a log.
    static let beginning = LogPosition(offset: LogFormat.headerSize, sequence: 1)
}
