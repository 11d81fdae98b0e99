/// A place between two frames of a log.
struct LogPosition: Hashable {
    /// Where the next frame begins in the file.
    var offset: Int
    /// The sequence number of the next frame.
    var sequence: UInt64

    /// Where the first frame of a log begins.
    static let beginning = LogPosition(offset: LogFormat.headerSize, sequence: 1)
}
